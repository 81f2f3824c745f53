/** Thrown if the caller closed the connection: nobody is left to respond to, and it isn't an error on our side. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone'

  constructor() {
    super('The caller closed the connection before the request was complete')
  }
}
