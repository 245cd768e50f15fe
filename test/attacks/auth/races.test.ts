/** Concurrent requests with one credential over many connections, and guesses from one network. */
import { beforeAll, describe, expect, it } from 'vitest'
import {
  type Browser,
  decisionOn,
  openBrowser,
  PASSPHRASES,
  type Page,
} from '../../clients/auth/browser.ts'
import type { RawResponse } from '../../clients/auth/raw.ts'
import {
  authorizeUrl,
  createVerifier,
  type HeldClient,
  obtainCode,
  obtainTokens,
  redeem,
  refresh,
  register,
  tokensIn,
} from '../../support/node/oauth-client.ts'
import { verifies } from '../../support/verifies.ts'
import { serveProtected } from './protected-server.ts'
import { untilStatus } from './resource.ts'

const server = serveProtected()
let client: HeldClient
beforeAll(async () => {
  client = await register(server.issuer)
})

const twenty = <T>(send: () => Promise<T>) => Promise.all(Array.from({ length: 20 }, send))

/** Opens the consent page in a new browser, whose requests come from an address if one is given. */
async function openConsentPage(address?: string): Promise<{ browser: Browser; page: Page }> {
  const browser = openBrowser({
    fetch: (request) => {
      if (address !== undefined) request.headers.set('cf-connecting-ip', address)
      return fetch(request)
    },
  })
  return {
    browser,
    page: await browser.open(authorizeUrl(server.issuer, client, createVerifier())),
  }
}

const decide = async (browser: Browser, page: Page, passphrase: string = PASSPHRASES.owner) =>
  (await browser.submit(page, '/authorize/decision', { ...decisionOn(page), passphrase })).status

it('a code is accepted once of twenty concurrent requests, and the others revoke its grant', async () => {
  verifies('oauth-2-1-grants/single-use-codes', 'oauth-2-0/code-is-used-once')
  verifies('oauth-security-practice/codes-are-invalidated')
  const code = await obtainCode(server.issuer, client)
  const answers = await twenty(() => redeem(server.issuer, client, code))
  const winners = answers.filter(({ status }) => status === 200)
  expect(winners).toHaveLength(1)
  for (const winner of winners) {
    expect(await untilStatus(server.issuer, tokensIn(winner).access, 401)).toBe(401)
  }
})

it('a refresh token returns one valid successor to twenty concurrent requests', async () => {
  const { refresh: token } = await obtainTokens(server.issuer, client)
  const present = (presented: string) => refresh(server.issuer, client, presented)
  const answers = await twenty(() => present(token))
  const successors = new Set(answers.map((answer: RawResponse) => tokensIn(answer).refresh))
  expect(successors.size).toBe(1)
  const [successor = ''] = successors
  expect((await present(successor)).status).toBe(200)
})

describe('/authorize/decision', () => {
  it('issues one code for twenty concurrent approvals of one consent page', async () => {
    const { browser, page } = await openConsentPage()
    const statuses = await twenty(() => decide(browser, page))
    expect(statuses.sort()).toEqual([303, ...Array(19).fill(400)])
  })

  it('accepts forty concurrent sign-ins with the right passphrase', async () => {
    const pages = await Promise.all(Array.from({ length: 40 }, () => openConsentPage()))
    const statuses = await Promise.all(pages.map(({ browser, page }) => decide(browser, page)))
    expect(new Set(statuses)).toEqual(new Set([303]))
  })

  it('limits the guesses from one address and does not affect another address', async () => {
    const enter = async (address: string, passphrase?: string) => {
      const { browser, page } = await openConsentPage(address)
      return decide(browser, page, passphrase)
    }
    const statuses: number[] = []
    for (let at = 0; at < 12; at += 1) statuses.push(await enter('192.0.2.1', `guess ${at}`))
    expect(statuses).toEqual([...Array(10).fill(401), 429, 429])
    expect(await enter('192.0.2.2')).toBe(303)
  })
})
