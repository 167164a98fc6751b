import { hidePassword } from '../kit/pure/passwords.ts'
import { PosternError } from '../model/errors.ts'

/** The address of a server, with the path below which it answers and without a slash at its end. */
export function parseUrl(text: string): string {
  const url = URL.parse(text)
  const isOurs = url !== null && (url.protocol === 'http:' || url.protocol === 'https:')
  if (!isOurs || url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new PosternError('VALUE_INVALID', {
      field: 'url',
      value: hidePassword(text),
      next: 'Use the address that "postern serve" printed, such as "http://127.0.0.1:4747".',
    })
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}
