/** A person with a browser, and an app of theirs, at the protected server with a service. */
import { openBrowser, PASSPHRASES, type Page } from '../../clients/auth/browser.ts'
import { obtainTokens, register } from '../../support/node/oauth-client.ts'
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

/** The action of a form whose path begins so. */
const formOf = ({ html }: Page, path: string): string | undefined =>
  new RegExp(`action="(${path}[^"]*)"`).exec(html)?.[1]
