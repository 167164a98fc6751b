import { describe, expect, it } from 'vitest'
import { unwrapReminder } from './reminder.ts'

describe('unwrapReminder', () => {
  it.each([
    ['<system-reminder>hello</system-reminder>', 'hello'],
    [' <System-Reminder source="x">\nhello\nthere\n</system-reminder >\n', 'hello\nthere'],
    ['<system-reminder></system-reminder>', ''],
  ])('takes off a tag around the whole content: %j', (content, inner) => {
    expect(unwrapReminder(content)).toBe(inner)
  })

  it.each([
    'hello',
    '<system-reminder>hello',
    'a <system-reminder>hello</system-reminder>',
    '<system-reminder>a</system-reminder> b <system-reminder>c</system-reminder>',
    '<system-reminders>a</system-reminder>',
    '</system-reminder>',
  ])('leaves other content as it is: %j', (content) => {
    expect(unwrapReminder(content)).toBe(content)
  })
})
