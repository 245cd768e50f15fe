/** Expired codes, tokens, pages and sign-ins, on a server whose lifetimes are seconds. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { verifies } from '../../support/verifies.ts'
import { Browser, OWNER } from './browser.ts'
import {
  authorizeQuery,
  createVerifier,
  obtainCode,
  obtainTokens,
  type Registered,
  redemption,
  refreshing,
  register,
  tokensIn,
} from './client.ts'
import { type ProtectedServer, startProtectedServer } from './protected-server.ts'
import { untilStatus } from './resource.ts'
import { errorOf, postForm } from './send.ts'

let server: ProtectedServer
let client: Registered
beforeAll(async () => {
  server = await startProtectedServer({ short: true })
  client = await register(server.issuer)
})
afterAll(() => server?.stop())

/** Waits for a lifetime of `--short`, and a moment more. */
const passed = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms + 200))
const ask = (fields: Readonly<Record<string, string>>) => postForm(server.issuer, '/token', fields)

it.concurrent('/token rejects a code after its lifetime of 3 seconds', async () => {
  verifies('oauth-2-1-grants/codes-expire')
  const code = await obtainCode(server.issuer, client)
  await passed(3000)
  expect(errorOf(await ask(redemption(code)))).toBe('invalid_grant')
})

it.concurrent('/token revokes the grant when a refresh token is reused after the grace of 2 seconds', async () => {
  const first = await obtainTokens(server.issuer, client)
  const second = tokensIn(await ask(refreshing(client, first.refresh)))
  await passed(2000)
  expect(errorOf(await ask(refreshing(client, first.refresh)))).toBe('invalid_grant')
  expect(errorOf(await ask(refreshing(client, second.refresh)))).toBe('invalid_grant')
  expect(await untilStatus(server.issuer, second.access, 401)).toBe(401)
})

it.concurrent('/token rejects a refresh token that was unused for 10 seconds', async () => {
  const { refresh } = await obtainTokens(server.issuer, client)
  await passed(10_000)
  expect(errorOf(await ask(refreshing(client, refresh)))).toBe('invalid_grant')
})

it.concurrent('/authorize/decision rejects an approval after the page lifetime of 5 seconds', async () => {
  const browser = new Browser(server.issuer)
  const form = await browser.consent(authorizeQuery(client.id, createVerifier()))
  await passed(5000)
  const answer = await browser.approve(form, OWNER)
  expect([answer.status, answer.headers.get('location')]).toEqual([400, null])
})

it.concurrent('/account asks for a sign-in after the login lifetime of 10 seconds', async () => {
  const browser = new Browser(server.issuer)
  await browser.approve(await browser.consent(authorizeQuery(client.id, createVerifier())), OWNER)
  expect((await browser.get('/account')).body).toContain('Connected apps')
  await passed(10_000)
  expect((await browser.get('/account')).body).not.toContain('Connected apps')
})
