/** The permissions that a person leaves out at the consent page. */
import { describe, expect, it } from 'vitest'
import { messageOf } from './support/answers.ts'
import { Browser, type Fields, fieldsOf, type Page } from './support/browser.ts'
import { AuthClient, codeOf, tokensOf } from './support/client.ts'
import { openDeployment, PASSPHRASE } from './support/deployment.ts'
import { OpenIdProvider } from './support/provider.ts'

const SCOPES = {
  read: 'Read notes',
  write: { description: 'Change notes', includes: ['read'], initial: true },
  operate: 'Restart servers',
}

/** The names of the boxes, and whether each is ticked. */
const boxesOf = ({ html }: Page) =>
  Object.fromEntries(
    [...html.matchAll(/<input type="checkbox" name="scope ([^"]+)" value="yes"( checked)?/g)].map(
      ([, name = '', ticked]) => [name, ticked !== undefined],
    ),
  )

/** What a browser sends of the boxes when only these are ticked. */
const ticked = (...names: readonly string[]): Fields => ({
  choice: 'yes',
  ...Object.fromEntries(names.map((name) => [`scope ${name}`, 'yes'])),
})

async function open(scopes: object = SCOPES) {
  const server = openDeployment({ scopes: scopes as typeof SCOPES })
  const client = await AuthClient.register(server)
  const browser = new Browser(server)
  return { client, browser, page: (scope?: string) => client.authorize(browser, { scope }) }
}

describe('the consent page', () => {
  it.each([
    ['all at first', undefined, { write: true, operate: true }],
    ['a scope that others include as fixed', 'read write', { write: true }],
    ['a single scope as fixed', 'operate', {}],
    ['each of two that include nothing', 'read operate', { read: true, operate: true }],
  ])('shows %s', async (_, scope, boxes) => {
    const { page } = await open()
    expect(boxesOf(await page(scope))).toEqual(boxes)
  })

  it.each([
    ['everything that is ticked', ticked('write', 'operate'), 'read write operate'],
    ['nothing that the person has unticked', ticked('write'), 'read write'],
    ['what cannot be unticked', ticked(), 'read'],
    [
      'what cannot be unticked, also if the form denies it',
      { ...ticked(), 'scope read': '' },
      'read',
    ],
    ['nothing that the page did not show', ticked('operate', 'admin'), 'read operate'],
    ['all to a form without the choice', {}, 'read write operate'],
  ])('grants %s', async (_, fields, scope) => {
    const { client, browser, page } = await open()
    const decided = await browser.decide(await page(), 'approve', {
      passphrase: PASSPHRASE,
      ...fields,
    })
    const tokens = await tokensOf(await client.redeem(codeOf(decided)))
    expect(tokens.scope.split(' ').sort()).toEqual(scope.split(' ').sort())
    expect((await tokensOf(await client.refresh(tokens.refresh))).scope).toBe(tokens.scope)
  })

  it('keeps the choice when it is shown again after a wrong passphrase', async () => {
    const { client, browser, page } = await open()
    const fields = { passphrase: 'a wrong passphrase', ...ticked('write') }
    const again = await browser.decide(await page(), 'approve', fields)
    expect(boxesOf(again)).toEqual({ write: true, operate: false })
    const decided = await browser.decide(again, 'approve', {
      passphrase: PASSPHRASE,
      ...ticked('write'),
    })
    expect((await tokensOf(await client.redeem(codeOf(decided)))).scope).toBe('read write')
  })

  it('can grant again what was left out before, when the person ticks it', async () => {
    const { client, browser, page } = await open()
    const fields = { passphrase: 'a wrong passphrase', ...ticked('write') }
    const again = await browser.decide(await page(), 'approve', fields)
    const all = { passphrase: PASSPHRASE, ...ticked('write', 'operate') }
    const code = codeOf(await browser.decide(again, 'approve', all))
    expect((await tokensOf(await client.redeem(code))).scope).toContain('operate')
  })

  it('grants after a sign-in at a provider what the person has ticked before it', async () => {
    const provider = await OpenIdProvider.start()
    const server = openDeployment({ scopes: SCOPES, login: provider.login() })
    const client = await AuthClient.register(server)
    const browser = new Browser(server)
    const page = await client.authorize(browser)
    expect(boxesOf(page)).toEqual({ write: true, operate: true })
    const { location } = await browser.decide(page, 'approve', ticked('write'))
    const { callback } = provider.visit(location)
    const tokens = await tokensOf(await client.redeem(codeOf(await browser.get(callback))))
    expect(tokens.scope).toBe('read write')
  })

  it('keeps the choice when it is shown again to a person who may not come in', async () => {
    const provider = await OpenIdProvider.start()
    const allow = { ids: ['grace'] }
    const server = openDeployment({ scopes: SCOPES, login: provider.login(), allow })
    const client = await AuthClient.register(server)
    const browser = new Browser(server)
    const page = await client.authorize(browser)
    const { location } = await browser.decide(page, 'approve', ticked('write'))
    const again = await browser.get(provider.visit(location).callback)
    expect([again.status, boxesOf(again)]).toEqual([403, { write: true, operate: false }])
    provider.claims = { sub: 'grace' }
    const decided = await browser.decide(again, 'approve', ticked('write'))
    const { callback } = provider.visit(decided.location)
    const tokens = await tokensOf(await client.redeem(codeOf(await browser.get(callback))))
    expect(tokens.scope).toBe('read write')
  })

  it('asks again when nothing is ticked', async () => {
    const { browser, page } = await open({ read: 'Read notes', operate: 'Restart servers' })
    const fields = { passphrase: PASSPHRASE, ...ticked() }
    const again = await browser.decide(await page(), 'approve', fields)
    expect([again.status, again.html.includes('tick at least one permission')]).toEqual([400, true])
    expect(fieldsOf(again.html, 'transaction')).toHaveLength(1)
    expect(() => messageOf(again)).toThrow()
  })
})
