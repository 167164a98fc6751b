/** A refusal as mirrors put it. */
export class RestError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export function notFound(): RestError {
  return new RestError(404, 'Not found')
}
