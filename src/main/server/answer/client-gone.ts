/** The caller closed the connection: there is nobody left to answer, and nothing is wrong on this side. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone'

  constructor() {
    super('The caller closed the connection before the request was complete')
  }
}
