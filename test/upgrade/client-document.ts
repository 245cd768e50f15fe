/** The host of a client's metadata document, served to the Worker as its egress proxy. */
import { once } from 'node:events'
import { createServer } from 'node:http'

/** The URL of the document is the id of the client. */
export const DOCUMENT_CLIENT = {
  id: 'https://app.example/client.json',
  redirectUri: 'https://app.example/callback',
} as const

const DOCUMENT = JSON.stringify({
  client_id: DOCUMENT_CLIENT.id,
  client_name: 'An app with a document',
  redirect_uris: [DOCUMENT_CLIENT.redirectUri],
  token_endpoint_auth_method: 'none',
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
})

export interface DocumentHost {
  /** The proxy URL for `egress`. */
  readonly url: string
  close(): void
}

export async function startDocumentHost(): Promise<DocumentHost> {
  const server = createServer(({ headers }, response) => {
    const isKnown = headers['x-original-url'] === DOCUMENT_CLIENT.id
    response.writeHead(isKnown ? 200 : 404, { 'content-type': 'application/json' })
    response.end(isKnown ? DOCUMENT : '{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new TypeError('The server has no port')
  return {
    url: `http://127.0.0.1:${address.port}/`,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
