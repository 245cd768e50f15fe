/** An account: its grants, personal access tokens, consents and sign-ins under arbitrary calls, evictions, alarms and failing writes. */
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import type { AccountObject } from '../../../durable-objects/account/account-object.ts'
import { createAccounts } from '../../../durable-objects/account/accounts.ts'
import { randomToken } from '../../../src/platform/random-token.ts'
import type { Account } from '../../../src/ports/accounts.ts'
import {
  actsOf,
  alarmOf,
  checkModel,
  evict,
  fault,
  MODEL_TIMEOUT,
  runAlarm,
  runAllAlarms,
  tablesOf,
  withFault,
} from '../model.ts'
import { openAda } from './account.ts'
import { apply, approvedAt, type Call, type Fault, type State } from './grant-model.ts'
import {
  DAY_MS,
  GRANT,
  HOUR_MS,
  MINUTE_MS,
  PERSONAL_TOKEN,
  SECOND_MS,
  useFakeClock,
} from './grant-requests.ts'
import { SecretHolder } from './secret-holder.ts'

/** Of the limit set `threeGrants`. */
const MOST_GRANTS = 3
const MOST_TOKENS = 30
const CONSENT_MS = 365 * DAY_MS
const SCOPE_SETS = [[], ['read'], ['write'], ['read', 'write']]

interface Grant {
  readonly id: string
  readonly holder: SecretHolder
  readonly createdAt: number
  state: State
  lastUsedAt: number
}

interface Token {
  readonly id: string
  readonly key: string
  readonly name: string
  readonly createdAt: number
  readonly expiresAt: number
  lastUsedAt: number
}

/** Rows stay until a call or the alarm deletes those that have expired. */
class Reference {
  /** With those that have ended, oldest first. */
  readonly grants: Grant[] = []
  tokens: Token[] = []
  readonly signIns = new Map<string, number>()
  consents: { readonly sets: readonly string[]; readonly until: number } | undefined
  signInsEndedUntil = 0

  rows(phase?: State['phase']): Grant[] {
    const present = this.grants.filter(({ state }) => state.phase !== 'ended')
    return phase === undefined ? present : present.filter(({ state }) => state.phase === phase)
  }

  purge(): void {
    const now = Date.now()
    for (const grant of this.rows()) if (grant.state.dueAt <= now) end(grant)
    this.tokens = this.tokens.filter(({ expiresAt }) => expiresAt > now)
    if ((this.consents?.until ?? 0) <= now) this.consents = undefined
  }

  makeRoom(phase: 'pending' | 'live'): void {
    const rows = this.rows(phase).toSorted((one, other) => one.lastUsedAt - other.lastUsedAt)
    for (const grant of rows.slice(0, Math.max(0, rows.length - MOST_GRANTS + 1))) end(grant)
  }

  hasConsent(scopes: readonly string[]): boolean {
    const { sets = [], until = 0 } = this.consents ?? {}
    return until > Date.now() && sets.includes(`${scopes}`)
  }

  remember(scopes: readonly string[]): void {
    const now = Date.now()
    const known = (this.consents?.until ?? 0) > now ? (this.consents?.sets ?? []) : []
    this.consents = { sets: [...known, `${scopes}`], until: now + CONSENT_MS }
  }
}

function end(grant: Grant): void {
  grant.state = { ...grant.state, phase: 'ended' }
}

type Objects = Awaited<ReturnType<typeof openAda>>

class Real {
  readonly stub: Objects['stub']
  readonly #objects: Objects['objects']

  constructor({ stub, objects }: Objects) {
    this.stub = stub
    this.#objects = objects
  }

  call<Result>(
    work: (account: Account) => Promise<Result>,
    nth?: number,
  ): Promise<Result | 'failed'> {
    return withFault<AccountObject, Result>(this.stub, nth, (object) => {
      const accounts = { named: () => object as Objects['stub'] }
      return work(createAccounts({ ...this.#objects, accounts }).of('ada'))
    })
  }
}

const act = actsOf<Reference, Real>()
const nothing = fc.constant(undefined)
const often = <T>(weight: number, value: T) => ({ weight, arbitrary: fc.constant(value) })

const acts = [
  act(
    4,
    'approve',
    fc.record({ scopes: fc.constantFrom(...SCOPE_SETS), remember: fc.boolean(), nth: fault(4) }),
    async (model, real, { scopes, remember: rememberConsent, nth }) => {
      const approved = await real.call(
        (account) => account.approve({ ...GRANT, scopes, rememberConsent }),
        nth,
      )
      if (approved === 'failed') return
      const now = Date.now()
      model.purge()
      model.makeRoom('pending')
      const { grantId: id, codeSecret } = approved
      const holder = new SecretHolder(id, codeSecret)
      model.grants.push({ id, holder, createdAt: now, state: approvedAt(now), lastUsedAt: now })
      if (rememberConsent) model.remember(scopes)
    },
  ),
  act(
    16,
    'call',
    fc.record({
      at: fc.nat(3),
      kind: fc.oneof(
        often<Call['kind']>(6, 'redeem'),
        often<Call['kind']>(12, 'refresh'),
        often<Call['kind']>(4, 'check'),
        often<Call['kind']>(1, 'revoke'),
      ),
      wrong: fc.oneof(
        often<Fault>(8, 'none'),
        often<Fault>(1, 'client'),
        often<Fault>(1, 'resource'),
        often<Fault>(1, 'scopes'),
      ),
      behind: fc.oneof(often(6, 0), often(3, 1), often(1, 2)),
      nth: fault(3),
    }),
    async (model, real, { at, kind, wrong, behind, nth }) => {
      const grant = model.grants.at(-1 - (at % model.grants.length))
      if (grant === undefined) return
      const call = callOf(kind, wrong, grant.holder.secrets.length - 1 - behind)
      const answer = await real.call((account) => grant.holder.call(account, call), nth)
      if (answer === 'failed') return
      const now = Date.now()
      const [expected, state] = apply(grant.state, call, now)
      expect(answer).toBe(expected)
      if (call.kind === 'redeem' && expected === 'secret 0') model.makeRoom('live')
      grant.state = state
      const isUsed = expected.startsWith('secret')
      const isChecked = expected === 'active' && grant.holder.grantKey !== undefined
      if (isUsed || (isChecked && now - grant.lastUsedAt >= HOUR_MS)) grant.lastUsedAt = now
    },
    ({ grants }) => grants.length > 0,
  ),
  act(
    3,
    'create token',
    fc.record({ name: fc.nat(3), times: fc.constantFrom(1, 1, 16), nth: fault(2) }),
    async (model, real, { name: first, times, nth }) => {
      for (let at = 0; at < times; at++) {
        const token = { ...PERSONAL_TOKEN, key: randomToken(), name: `token ${first + at}` }
        const expiresAt = Date.now() + 30 * DAY_MS
        const created = await real.call(
          (account) => account.createPersonalToken({ ...token, expiresAt }),
          nth,
        )
        if (created === 'failed') continue
        model.purge()
        if (model.tokens.some(({ name }) => name === token.name)) {
          expect(created).toEqual({ refused: 'name-taken' })
        } else if (model.tokens.length >= MOST_TOKENS) {
          expect(created).toEqual({ refused: 'too-many' })
        } else if ('tokenId' in created) {
          const { tokenId: id } = created
          const now = Date.now()
          model.tokens.push({ ...token, id, createdAt: now, expiresAt, lastUsedAt: now })
        } else throw new Error(`The token was refused: ${created.refused}`)
      }
    },
  ),
  act(
    3,
    'token',
    fc.record({ at: fc.nat(3), how: fc.constantFrom('check', 'check', 'wrong key', 'revoke') }),
    async ({ tokens }, real, { at, how }) => {
      const token = tokens[at]
      if (token === undefined) return
      const now = Date.now()
      const isLive = token.expiresAt > now
      if (how === 'revoke') {
        expect(await real.call((account) => account.revoke(token.id))).toBe(isLive)
        if (isLive) tokens.splice(at, 1)
        return
      }
      const key = how === 'check' ? token.key : 'A'.repeat(43)
      const check = await real.call((account) => account.check(token.id, key))
      const isActive = isLive && how === 'check'
      expect(check).toEqual(
        isActive ? { active: true, props: PERSONAL_TOKEN.props } : { active: false },
      )
      const isFirst = token.lastUsedAt === token.createdAt
      if (isActive && (isFirst || now - token.lastUsedAt >= HOUR_MS)) token.lastUsedAt = now
    },
  ),
  act(1, 'forget consents', fc.constantFrom('client-1', 'client-2'), async (model, real, id) => {
    await real.call((account) => account.deleteConsents(id))
    if (id === 'client-1') model.consents = undefined
  }),
  act(
    2,
    'sign-in',
    fc.record({
      id: fc.constantFrom('a', 'b'),
      ends: fc.boolean(),
      life: fc.constantFrom(HOUR_MS, DAY_MS),
    }),
    async (model, real, { id, ends, life }) => {
      const until = Date.now() + life
      if (ends) {
        await real.call((account) => account.endSignIn(id, until))
        if (!model.signIns.has(id)) model.signIns.set(id, until)
        return
      }
      const known = model.signIns.get(id)
      // The row of one that has expired may be deleted or not.
      if (known !== undefined && known <= Date.now()) return
      const hasEnded = known !== undefined || until <= model.signInsEndedUntil
      expect(await real.call((account) => account.hasSignInEnded(id, until))).toBe(hasEnded)
    },
    // A sign-in ends once in its life.
    ({ signIns }, { id, ends }) => !ends || !signIns.has(id),
  ),
  act(
    1,
    'end all',
    fc.record({ erase: fc.boolean(), nth: fault(4) }),
    async (model, real, { erase, nth }) => {
      const until = Date.now() + HOUR_MS
      const ended = await real.call((account) => account.endAll(until, erase), nth)
      if (ended === 'failed') return
      expect(ended).toEqual({
        grants: model.rows().length,
        personalTokens: model.tokens.length,
        consents: model.consents === undefined ? 0 : 1,
      })
      for (const grant of model.rows()) end(grant)
      model.tokens = []
      model.consents = undefined
      model.signInsEndedUntil = until
      if (erase) model.signIns.clear()
    },
  ),
  act(
    1,
    'end what was issued before',
    fc.constantFrom(-DAY_MS, -1, 0, 1),
    async (model, real, ms) => {
      const validFrom = Date.now() + ms
      await real.call((account) => account.endIssuedBefore({ validFrom, clients: {} }))
      for (const grant of model.rows()) if (grant.createdAt < validFrom) end(grant)
      model.tokens = model.tokens.filter(({ createdAt }) => createdAt >= validFrom)
      const { until = 0 } = model.consents ?? {}
      if (until < validFrom + CONSENT_MS) model.consents = undefined
    },
  ),
  act(2, 'evict', nothing, (_, { stub }) => evict(stub)),
  act(2, 'alarm', nothing, async (model, { stub }) => {
    if (await runAlarm(stub)) model.purge()
  }),
  act(
    8,
    'wait',
    fc.constantFrom(
      ...[1, 1, SECOND_MS, SECOND_MS, 30 * SECOND_MS - 1, 30 * SECOND_MS, MINUTE_MS - 1],
      ...[MINUTE_MS, HOUR_MS, DAY_MS, 30 * DAY_MS, 59 * DAY_MS, 60 * DAY_MS],
    ),
    async (_, __, ms) => vi.setSystemTime(Date.now() + ms),
  ),
]

function callOf(kind: Call['kind'], wrong: Fault, generation: number): Call {
  if (kind === 'redeem') return { kind, fault: wrong === 'scopes' ? 'verifier' : wrong }
  if (kind !== 'refresh') return { kind }
  return generation < 0 ? { kind: 'check' } : { kind, fault: wrong, generation }
}

async function check(model: Reference, real: Real): Promise<void> {
  const now = Date.now()
  const state = await real.call(async (account) => ({
    listed: await account.listGrants({ pending: true, personalTokens: true }),
    consents: await Promise.all(
      SCOPE_SETS.map((scopes) =>
        account.hasConsent('client-1', GRANT.redirectUri, GRANT.resource, scopes.toReversed()),
      ),
    ),
  }))
  if (state === 'failed') throw new Error('A read has failed')
  const live = model.rows().filter(({ state: { dueAt } }) => dueAt > now)
  const tokens = model.tokens.filter(({ expiresAt }) => expiresAt > now)
  expect(state.listed.map((each) => [each.grantId, each.isPending, each.lastUsedAt])).toEqual([
    ...live
      .toReversed()
      .map((each) => [each.id, each.state.phase === 'pending' || undefined, each.lastUsedAt]),
    ...tokens.toReversed().map((each) => [each.id, undefined, each.lastUsedAt]),
  ])
  expect(state.consents).toEqual(SCOPE_SETS.map((scopes) => model.hasConsent(scopes)))
  const dues = [...live.map((each) => each.state.dueAt), ...tokens.map((each) => each.expiresAt)]
  if (dues.length > 0) {
    expect(await alarmOf(real.stub)).toBeLessThanOrEqual(Math.min(...dues) + MINUTE_MS)
  }
}

describe('an account', () => {
  useFakeClock()

  it(
    'has the grants, tokens, consents and sign-ins of its calls, and no storage after the last one',
    MODEL_TIMEOUT,
    async () => {
      await checkModel<Reference, Real>({
        open: async () => ({
          model: new Reference(),
          real: new Real(await openAda('threeGrants')),
        }),
        acts,
        check,
        end: async (_, { stub }) => {
          await runAllAlarms(stub)
          expect(await tablesOf(stub)).toEqual([])
        },
        runs: 30,
        commands: 40,
      })
    },
  )
})
