/** The permissions that a person leaves out at the consent page. */
import { describe, expect, it } from 'vitest'
import { type Fields, fieldsOf, type Page } from './support/browser.ts'
import { type AuthClient, codeOf, tokensOf } from './support/client.ts'
import { PASSPHRASE } from './support/deployment.ts'
import { authorize, decide, pageText, type Steps } from './support/flow.ts'
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

const open = (steps: Steps = {}) => authorize({ scopes: SCOPES, ...steps })
const tokensFor = async (client: AuthClient, page: Page) =>
  tokensOf(await client.redeem(codeOf(page)))

describe('the consent page', () => {
  it.each([
    ['all at first', undefined, { write: true, operate: true }],
    ['a scope that others include as fixed', 'read write', { write: true }],
    ['a single scope as fixed', 'operate', {}],
    ['each of two that include nothing', 'read operate', { read: true, operate: true }],
  ])('shows %s', async (_, scope, boxes) => {
    expect(boxesOf((await open({ authorize: { scope } })).page)).toEqual(boxes)
  })

  it.each([
    ['everything that is ticked', ticked('write', 'operate'), 'read write operate'],
    ['nothing that the person has unticked', ticked('write'), 'read write'],
    ['what cannot be unticked', ticked(), 'read'],
    ['it also if the form denies it', { ...ticked(), 'scope read': '' }, 'read'],
    ['nothing that the page did not show', ticked('operate', 'admin'), 'read operate'],
    ['all to a form without the choice', {}, 'read write operate'],
  ])('grants %s', async (_, form, scope) => {
    const { client, page } = await decide({ scopes: SCOPES, form })
    const tokens = await tokensFor(client, page)
    expect(tokens.scope.split(' ').sort()).toEqual(scope.split(' ').sort())
    expect((await tokensOf(await client.refresh(tokens.refresh))).scope).toBe(tokens.scope)
  })

  it.each([
    ['keeps the choice', ['write'], 'read write'],
    ['can grant what was left out before', ['write', 'operate'], 'read write operate'],
  ])('%s when it is shown again after a wrong passphrase', async (_, names, scope) => {
    const { client, browser, page } = await open()
    const wrong = { passphrase: 'a wrong passphrase', ...ticked('write') }
    const again = await browser.decide(page, 'approve', wrong)
    expect(boxesOf(again)).toEqual({ write: true, operate: false })
    const right = { passphrase: PASSPHRASE, ...ticked(...names) }
    const tokens = await tokensFor(client, await browser.decide(again, 'approve', right))
    expect(tokens.scope.split(' ').sort()).toEqual(scope.split(' ').sort())
  })

  it('grants after a sign-in at a provider what the person has ticked before it, also after a refusal', async () => {
    const provider = await OpenIdProvider.start()
    const allow = { ids: ['grace'] }
    const { client, browser, page } = await open({ login: provider.login(), allow })
    expect(boxesOf(page)).toEqual({ write: true, operate: true })
    const { location } = await browser.decide(page, 'approve', ticked('write'))
    const again = await browser.get(provider.visit(location).callback)
    expect([again.status, boxesOf(again)]).toEqual([403, { write: true, operate: false }])
    provider.claims = { sub: 'grace' }
    const decided = await browser.decide(again, 'approve', ticked('write'))
    const back = await browser.get(provider.visit(decided.location).callback)
    expect((await tokensFor(client, back)).scope).toBe('read write')
  })

  it('asks again when nothing is ticked', async () => {
    const scopes = { read: 'Read notes', operate: 'Restart servers' }
    const { browser, page } = await open({ scopes })
    const fields = { passphrase: PASSPHRASE, ...ticked() }
    const again = await browser.decide(page, 'approve', fields)
    expect([again.status, again.html.includes('tick at least one permission')]).toEqual([400, true])
    expect(fieldsOf(again.html, 'transaction')).toHaveLength(1)
    expect(pageText(again)).toBe('form 400')
  })
})
