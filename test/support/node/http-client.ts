/** The client of `edgeway/testing` for a server of another process, in the newest revision. */

import { openModern } from '../../../packages/testing/src/modern-channel.ts'
import { obtainToken } from '../../../packages/testing/src/sign-in.ts'
import { TestClient } from '../../../packages/testing/src/test-client.ts'
import { Uploads } from '../../../packages/testing/src/uploads.ts'
import { MODERN } from '../../../src/protocol/revisions.ts'

/** @param token of a server with authorization */
export async function openClient(url: string, token?: string): Promise<TestClient> {
  let client: TestClient | undefined
  const channel = await openModern({
    send: (request) => {
      if (token !== undefined) request.headers.set('authorization', `Bearer ${token}`)
      return fetch(request)
    },
    url,
    revision: MODERN,
    clientInfo: { name: 'test', version: '0.0.0' },
    capabilities: {},
    logLevel: undefined,
    answer: async () => ({}),
    onNotification: (message) => client?.receive(message),
  })
  const records = { asks: [], progress: [], logs: [] }
  const uploads = new Uploads((request) => fetch(request))
  const settled = async () => undefined
  client = new TestClient(channel, { records, uploads, settled, isModern: true })
  return client
}

/** Signs in to the protected fixture server as its owner. */
export function signInAsOwner(url: string, scopes: readonly string[]): Promise<string> {
  return obtainToken(fetch, url, { passphrase: 'correct horse battery staple', scopes })
}
