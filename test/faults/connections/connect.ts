/** A person with a browser, and an app of theirs, at the protected server with a service. */
import { requestOf } from '../../attacks/modern.ts'
import { openBrowser, PASSPHRASES, type Page } from '../../clients/auth/browser.ts'
import { obtainTokens, register } from '../../support/node/oauth-client.ts'
import { readMessage } from '../../support/sse-reader.ts'
import { PersistentServer } from '../sessions/persistent-server.ts'
import { send } from '../sessions/send.ts'
import { startService } from './http-service.ts'

export async function startConnected(
  atEnd: (stop: () => void | Promise<void>) => void,
  graceSeconds = 30,
) {
  const { service, stop } = await startService(graceSeconds)
  atEnd(stop)
  const services = [{ name: 'chat', url: service.url, isFixed: false }]
  const server = await PersistentServer.start(atEnd, { protected: true, services })
  const issuer = new URL(server.url).origin
  const tokens = await obtainTokens(issuer, await register(issuer))
  const withToken = (request: Request) => {
    const headers = new Headers(request.headers)
    headers.set('authorization', `Bearer ${tokens.access}`)
    return send(new Request(request, { headers }))
  }
  const browser = openBrowser({ fetch: (request) => send(request) })
  /** Answers the page of an address, and signs in first where it asks. */
  const visit = async (address: string, answer: 'connect' | 'decline' = 'connect') => {
    let page = await browser.open(new URL(address))
    const login = formOf(page, '/login')
    if (login !== undefined) {
      await browser.submit(page, login, { passphrase: PASSPHRASES.owner })
      page = await browser.open(new URL(address))
    }
    const sent = await browser.submit(page, formOf(page, '/connect') ?? '', { do: answer })
    return answer === 'connect' && sent.location !== undefined
      ? browser.open(new URL(service.visit(sent.location)))
      : sent
  }
  return { service, server, issuer, withToken, browser, visit }
}

export type Connected = Awaited<ReturnType<typeof startConnected>>

/** The result of a modern call of a tool that uses the service. */
export async function callModern({ server, withToken }: Connected, name: string, more = {}) {
  const params = { name, arguments: { connection: 'chat', ...more } }
  const response = await withToken(requestOf(server.url, 'tools/call', params, name, undefined, {}))
  return (await readMessage(response)).result
}

/** The address in the text of an answer; empty where there is none. */
export const addressIn = (text: string): string =>
  /http:\/\/127\.0\.0\.1:\d+\/connect\?at=[\w.-]+/.exec(text)?.[0] ?? ''

/** The action of a form whose path begins so. */
const formOf = ({ html }: Page, path: string): string | undefined =>
  new RegExp(`action="(${path}[^"]*)"`).exec(html)?.[1]
