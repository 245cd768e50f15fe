/** Concurrent requests with one credential over many connections, and guesses from one network. */
import { beforeAll, describe, expect, it } from 'vitest'
import { verifies } from '../../support/verifies.ts'
import { Browser, type Form, OWNER } from './browser.ts'
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
import { serveProtected } from './protected-server.ts'
import { untilStatus } from './resource.ts'
import { type Answer, postForm } from './send.ts'

const server = serveProtected()
let client: Registered
beforeAll(async () => {
  client = await register(server.issuer)
})

const ask = (fields: Readonly<Record<string, string>>) => postForm(server.issuer, '/token', fields)
const twenty = (send: () => Promise<Answer>) => Promise.all(Array.from({ length: 20 }, send))

/** Opens the consent page in a new browser. */
async function openConsentPage(): Promise<{ browser: Browser; form: Form }> {
  const browser = new Browser(server.issuer)
  const query = authorizeQuery(client.id, createVerifier())
  return { browser, form: await browser.consent(query) }
}

it('a code is accepted once of twenty concurrent requests, and the others revoke its grant', async () => {
  verifies('oauth-2-1-grants/single-use-codes', 'oauth-2-0/code-is-used-once')
  verifies('oauth-security-practice/codes-are-invalidated')
  const fields = redemption(await obtainCode(server.issuer, client))
  const winners = (await twenty(() => ask(fields))).filter(({ status }) => status === 200)
  expect(winners).toHaveLength(1)
  for (const winner of winners) {
    expect(await untilStatus(server.issuer, tokensIn(winner).access, 401)).toBe(401)
  }
})

it('a refresh token returns one valid successor to twenty concurrent requests', async () => {
  const { refresh } = await obtainTokens(server.issuer, client)
  const answers = await twenty(() => ask(refreshing(client, refresh)))
  const successors = new Set(answers.map((answer) => tokensIn(answer).refresh))
  expect(successors.size).toBe(1)
  const [successor = ''] = successors
  expect((await ask(refreshing(client, successor))).status).toBe(200)
})

describe('/authorize/decision', () => {
  it('issues one code for twenty concurrent approvals of one consent page', async () => {
    const { browser, form } = await openConsentPage()
    const statuses = (await twenty(() => browser.approve(form, OWNER))).map(({ status }) => status)
    expect(statuses.sort()).toEqual([303, ...Array(19).fill(400)])
  })

  it('accepts forty concurrent sign-ins with the right passphrase', async () => {
    const pages = await Promise.all(Array.from({ length: 40 }, openConsentPage))
    const answers = pages.map(({ browser, form }) => browser.approve(form, OWNER))
    const statuses = (await Promise.all(answers)).map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([303]))
  })

  it('limits the guesses from one address and does not affect another address', async () => {
    const enter = async (address: string, passphrase: string) => {
      const { browser, form } = await openConsentPage()
      const fields = { ...form, decision: 'approve', passphrase }
      const headers = [['cf-connecting-ip', address]] as const
      return (await browser.post('/authorize/decision', fields, headers)).status
    }
    const statuses: number[] = []
    for (let at = 0; at < 12; at += 1) statuses.push(await enter('192.0.2.1', `guess ${at}`))
    expect(statuses).toEqual([...Array(10).fill(401), 429, 429])
    expect(await enter('192.0.2.2', OWNER)).toBe(303)
  })
})
