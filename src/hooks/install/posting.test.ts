import { describe, expect, it } from 'vitest'
import { formatAuthorization, formatPostUrl, parsePosting } from './posting.ts'

describe('an entry that posts', () => {
  const to = { server: 'http://127.0.0.1:4747', host: 'claude-code', agent: 'quinn' }

  it('is read as it was written', () => {
    const url = formatPostUrl(to)
    expect(parsePosting(url, formatAuthorization('pst_x'))).toEqual({
      url,
      host: 'claude-code',
      agent: 'quinn',
      token: 'pst_x',
    })
  })

  it('is ours without its token, too', () => {
    expect(parsePosting(formatPostUrl(to), undefined)).toMatchObject({ agent: 'quinn', token: '' })
  })

  it.each([
    'http://127.0.0.1:4747/api/v1/hooks/claude-code',
    'http://127.0.0.1:4747/api/v1/hooks/claude-code?agent=all',
    'http://127.0.0.1:4747/api/v1/hooks/claude-code?agent=quinn&more',
    'http://127.0.0.1:4747/x/api/v1/hooks/claude-code?agent=quinn',
    'ftp://127.0.0.1:4747/api/v1/hooks/claude-code?agent=quinn',
    'http://127.0.0.1:4747/hooks',
    7,
    undefined,
  ])('is not ours where it posts to %j', (url) => {
    expect(parsePosting(url, 'Bearer x')).toBeUndefined()
  })
})
