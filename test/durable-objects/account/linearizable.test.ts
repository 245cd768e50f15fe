/** Calls at once are calls in some order: checked against a model, across evictions, alarms and time. */
import { evictDurableObject, runDurableObjectAlarm } from 'cloudflare:test'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Account } from '../../../src/ports/accounts.ts'
import { DAY_MS, GRANT, NOON, pass, SECOND_MS } from '../../contracts/accounts/person.ts'
import { afterTurns, openAccounts, within } from './account.ts'
import { Holder } from './holder.ts'
import { approvedAt, type Call, explain, type Fault } from './model.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOON })
})
afterEach(() => {
  vi.useRealTimers()
})

/** A call that somebody would make, with whatever secrets there are by then. */
interface Wish {
  readonly kind: Call['kind']
  readonly fault: Fault
  /** How far behind the newest secret. */
  readonly behind: number
  /** How late it begins, in turns of those that are made with it. */
  readonly turns: number
}

interface Step {
  readonly waitMs: number
  readonly before: 'nothing' | 'alarm' | 'eviction'
  readonly wishes: readonly Wish[]
}

/** What ends a grant is rare, or histories would be short. */
const often = <T>(count: number, value: T) => ({ weight: count, arbitrary: fc.constant(value) })

const step: fc.Arbitrary<Step> = fc.record({
  waitMs: fc.oneof(
    often(8, 0),
    often(2, SECOND_MS),
    often(2, 30 * SECOND_MS - 1),
    often(2, 30 * SECOND_MS),
    often(2, DAY_MS),
    often(1, 60 * DAY_MS),
  ),
  before: fc.oneof(
    often<Step['before']>(4, 'nothing'),
    often<Step['before']>(1, 'alarm'),
    often<Step['before']>(1, 'eviction'),
  ),
  wishes: fc.array(
    fc.record<Wish>({
      kind: fc.oneof(
        often<Call['kind']>(20, 'refresh'),
        often<Call['kind']>(2, 'check'),
        often<Call['kind']>(2, 'redeem'),
        often<Call['kind']>(1, 'revoke'),
      ),
      fault: fc.oneof(
        often<Fault>(4, 'none'),
        often<Fault>(1, 'client'),
        often<Fault>(1, 'resource'),
        often<Fault>(1, 'scopes'),
      ),
      behind: fc.oneof(often(12, 0), often(3, 1), often(1, 2), often(1, 5)),
      turns: fc.oneof(fc.constant(0), fc.nat({ max: 60 })),
    }),
    { minLength: 1, maxLength: 4 },
  ),
})

/** Most histories begin with it, or there would be little to refresh. */
const REDEEMED: Step = {
  waitMs: 0,
  before: 'nothing',
  wishes: [{ kind: 'redeem', fault: 'none', behind: 0, turns: 0 }],
}

function callOf({ kind, fault, behind }: Wish, secrets: number): Call {
  if (kind === 'redeem') return { kind, fault: fault === 'scopes' ? 'verifier' : fault }
  if (kind !== 'refresh') return { kind }
  return secrets === 0
    ? { kind: 'check' }
    : { kind, fault, generation: Math.max(0, secrets - 1 - behind) }
}

const { accounts, stubOfSubject } = openAccounts()
let histories = 0

/** Plays it, and gives the answers of all calls, having found an order that explains them. */
async function play(steps: readonly Step[], isWithin: boolean): Promise<string[]> {
  vi.setSystemTime(NOON)
  const subject = `subject-${histories++}`
  const account = accounts.of(subject)
  const stub = await stubOfSubject(subject)
  const { grantId, codeSecret } = await account.approve({ ...GRANT, subject })
  const holder = new Holder(grantId, codeSecret)
  const all: string[] = []
  let states = [approvedAt(NOON)]
  for (const { waitMs, before, wishes } of steps) {
    pass(waitMs)
    if (before === 'alarm') await runDurableObjectAlarm(stub)
    if (before === 'eviction') await evictDurableObject(stub)
    const calls = wishes.map((wish) => callOf(wish, holder.secrets.length))
    const callAll = (to: Account) =>
      Promise.all(
        calls.map(async (call, index) => {
          await afterTurns(wishes[index]?.turns ?? 0)
          return holder.call(to, call)
        }),
      )
    const answers = await (isWithin ? within(stub, subject, callAll) : callAll(account))
    states = explain(states, calls, answers, Date.now())
    if (states.length === 0) throw new Error(`No order: ${JSON.stringify([calls, answers])}`)
    all.push(...answers)
  }
  return all
}

it.each([
  ['from outside', false, 25],
  ['within the object, taking turns at every await', true, 60],
])('is linearizable, called %s', { timeout: 60_000 }, async (_, isWithin, numRuns) => {
  const seen: string[] = []
  const history = fc.array(step, { minLength: 4, maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: 3 }), history, async (chance, steps) => {
      seen.push(...(await play(chance === 0 ? steps : [REDEEMED, ...steps], isWithin)))
    }),
    { numRuns },
  )
  // A property that nothing happens under holds of anything.
  for (const answer of [/^secret/, /^invalid_grant$/]) {
    expect(seen.filter((other) => answer.test(other)).length).toBeGreaterThan(numRuns / 2)
  }
})
