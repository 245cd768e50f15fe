/** The service of `edgeway/testing` behind an HTTP server of this machine. */
import '../../../src/runtime/node.js'
import {
  type AccountService,
  createAccountService,
} from '../../../packages/testing/src/account-service.ts'
import { answer, receiveCallbacks } from '../../support/node/http-receiver.ts'

/** @param graceSeconds how long a refresh token is accepted again. Each use renews a token: it ends within a minute */
export async function startService(
  graceSeconds: number,
): Promise<{ readonly service: AccountService; readonly stop: () => void }> {
  let service: AccountService | undefined
  const { origin, stop } = await receiveCallbacks((incoming, body, outgoing) => {
    const url = service && new URL(incoming.url ?? '/', service.url).href
    const place = service && url ? { url, fetch: service.fetch.bind(service) } : undefined
    void answer(place, incoming, body, outgoing)
  })
  service = createAccountService({ url: origin, graceSeconds, expiresInSeconds: 30 })
  return { service, stop }
}
