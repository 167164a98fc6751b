/**
 * A URL fit to be shown: what may be a password is left out. It is greedy where a URL is malformed, because a password
 * may hold the very signs that end one. Of NATS nothing is shown: a lone word is a token there.
 */
export function hidePassword(url: string): string {
  return url
    .replace(
      /^([a-z][a-z0-9+.-]*:\/\/)(?:([^:/?#@]*)(?::.*)?@)/is,
      (_, scheme: string, user: string) => `${scheme}${user}:…@`,
    )
    .replace(/([?&](?:password|sslpassword)=)[^&#]*/gi, '$1…')
    .replace(/^((?:nats|tls):\/\/).*@/is, '$1…@')
}
