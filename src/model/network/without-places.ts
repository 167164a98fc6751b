import { type ErrorCode, errorOf, type PosternError } from '../errors.ts'

/** Their path is that of the request. */
const OF_ROUTES: readonly ErrorCode[] = ['ROUTE_NOT_FOUND', 'METHOD_REFUSED']

/**
 * The error without folders of this machine and without internal reasons. A remote program gets this; the log gets
 * the rest.
 */
export function withoutPlaces(error: PosternError): PosternError {
  const { code, details } = error
  if (code === 'INTERNAL') return errorOf(code, { reason: 'see the log of the server' })
  if (code.startsWith('STORE_')) return errorOf(code, { ...details, path: 'of this server', reason: 'see its log' })
  const { path } = details
  if (typeof path !== 'string' || OF_ROUTES.includes(code)) return error
  return errorOf(code, { ...details, path: path.split('/').findLast((part) => part !== '') ?? path })
}
