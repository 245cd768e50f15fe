/** Linearizability of concurrent calls: compared with a sequential model, across evictions, alarms and time. */
import { evictDurableObject, runDurableObjectAlarm } from 'cloudflare:test'
import fc from 'fast-check'
import { expect, it, vi } from 'vitest'
import type { Account } from '../../../src/ports/accounts.ts'
import { afterMicrotasks, openAccounts, within } from './account.ts'
import { approvedAt, type Call, explain, type Fault } from './grant-model.ts'
import { advance, DAY_MS, GRANT, NOON, SECOND_MS, useFakeClock } from './grant-requests.ts'
import { SecretHolder } from './secret-holder.ts'

useFakeClock()

/** A planned call. Its secret is chosen when it runs, among those issued by then. */
interface PlannedCall {
  readonly kind: Call['kind']
  readonly fault: Fault
  /** Number of generations behind the newest secret. */
  readonly behind: number
  /** Number of microtask turns before the call begins. */
  readonly turns: number
}

interface Step {
  readonly waitMs: number
  readonly before: 'nothing' | 'alarm' | 'eviction'
  readonly plannedCalls: readonly PlannedCall[]
}

/** Calls that end a grant are rare, so that histories are long. */
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
  plannedCalls: fc.array(
    fc.record<PlannedCall>({
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

/** The first step of most histories, so that there is a grant to refresh. */
const REDEEMED: Step = {
  waitMs: 0,
  before: 'nothing',
  plannedCalls: [{ kind: 'redeem', fault: 'none', behind: 0, turns: 0 }],
}

function callOf({ kind, fault, behind }: PlannedCall, secrets: number): Call {
  if (kind === 'redeem') return { kind, fault: fault === 'scopes' ? 'verifier' : fault }
  if (kind !== 'refresh') return { kind }
  return secrets === 0
    ? { kind: 'check' }
    : { kind, fault, generation: Math.max(0, secrets - 1 - behind) }
}

const { accounts, stubOfSubject } = openAccounts()
let histories = 0

/** Runs a history and returns all answers. Throws when no order of the calls explains them. */
async function runHistory(steps: readonly Step[], isWithin: boolean): Promise<string[]> {
  vi.setSystemTime(NOON)
  const subject = `subject-${histories++}`
  const account = accounts.of(subject)
  const stub = await stubOfSubject(subject)
  const { grantId, codeSecret } = await account.approve({ ...GRANT, subject })
  const holder = new SecretHolder(grantId, codeSecret)
  const all: string[] = []
  let states = [approvedAt(NOON)]
  for (const { waitMs, before, plannedCalls } of steps) {
    advance(waitMs)
    if (before === 'alarm') await runDurableObjectAlarm(stub)
    if (before === 'eviction') await evictDurableObject(stub)
    const calls = plannedCalls.map((planned) => callOf(planned, holder.secrets.length))
    const callAll = (to: Account) =>
      Promise.all(
        calls.map(async (call, index) => {
          await afterMicrotasks(plannedCalls[index]?.turns ?? 0)
          return holder.call(to, call)
        }),
      )
    const answers = await (isWithin ? within(stub, subject, callAll) : callAll(account))
    states = explain(states, calls, answers, Date.now())
    if (states.length === 0)
      throw new Error(`Not linearizable: ${JSON.stringify([calls, answers])}`)
    all.push(...answers)
  }
  return all
}

it.each([
  ['from outside the object', false, 25],
  ['within the object, interleaved at every await', true, 60],
])('concurrent calls %s are linearizable', { timeout: 300_000 }, async (_, isWithin, numRuns) => {
  const seen: string[] = []
  const history = fc.array(step, { minLength: 4, maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: 3 }), history, async (chance, steps) => {
      seen.push(...(await runHistory(chance === 0 ? steps : [REDEEMED, ...steps], isWithin)))
    }),
    { numRuns },
  )
  // A property over histories without effects would prove nothing.
  for (const answer of [/^secret/, /^invalid_grant$/]) {
    expect(seen.filter((other) => answer.test(other)).length).toBeGreaterThan(numRuns / 2)
  }
})
