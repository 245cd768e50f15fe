/** A log under arbitrary events, registrations, failures and kills: every subscription gets everything, in order. */
// features: events
import { runInDurableObject } from 'cloudflare:test'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { HOUR_MS, NOON, useFakeClock } from '../../../../test/durable-objects/fake-clock.ts'
import { runs } from '../../../../test/property/settings.ts'
import type { EventLogObject } from '../../../../test/support/event-log-object.ts'
import type { HandedPage } from '../../src/objects/port.ts'
import { openLog } from './log.ts'

useFakeClock()

const PRINCIPALS = ['ada', 'bob', 'cas'] as const
const KINDS = ['a', 'b'] as const

const command = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('emit' as const),
      kind: fc.constantFrom(...KINDS),
      subject: fc.constantFrom(undefined, undefined, ...PRINCIPALS),
      times: fc.constantFrom(1, 1, 3, 70),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('register' as const),
      principal: fc.constantFrom(...PRINCIPALS),
      kind: fc.constantFrom(undefined, ...KINDS),
      back: fc.constantFrom(undefined, 0, 1, 5, 100),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('unregister' as const),
      principal: fc.constantFrom(...PRINCIPALS),
      kind: fc.constantFrom(undefined, ...KINDS),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('alarm' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('break' as const),
      principal: fc.constantFrom(...PRINCIPALS),
      way: fc.constantFrom(
        'works' as const,
        'fails' as const,
        'kills' as const,
        'stores and fails' as const,
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('throw' as const),
      kind: fc.constantFrom(undefined, ...KINDS),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      seconds: fc.constantFrom(10, 60, 3600),
    }),
  },
)

type Command = typeof command extends fc.Arbitrary<infer Value> ? Value : never

interface Expected {
  /** The id in the index: another one for each life of a subscription. */
  readonly id: string
  readonly after: number
  readonly kind: string | undefined
  readonly principal: string
  /** The accepted positions: an object of a principal accepts each once. */
  readonly accepted: number[]
}

/** A kill during a call fails the call, and its caller repeats it. */
function again<T>(call: () => Promise<T>): Promise<T> {
  return call().catch(call)
}

function acceptOnce({ accepted, after }: Expected, position: number): void {
  if (position > (accepted.at(-1) ?? after)) accepted.push(position)
}

describe('a log of events', () => {
  it('hands every occurrence to every subscription that it concerns, in order, under any failures', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 5, maxLength: 40 }), async (commands) => {
        vi.setSystemTime(NOON)
        const broken = new Map<string, 'works' | 'fails' | 'kills' | 'stores and fails'>()
        let throwing: string | undefined
        /** By principal and kind. */
        const subscriptions = new Map<string, Expected>()
        let lives = 0
        const emitted: { readonly kind: string; readonly subject: string | undefined }[] = []

        const store = (page: HandedPage): string[] => {
          const gone = new Set<string>()
          for (const { occurrence, subscriptions: ids, truncated } of page.entries) {
            expect(truncated).toBeUndefined()
            for (const id of ids) {
              const known = [...subscriptions.values()].find((each) => each.id === id)
              if (known === undefined) gone.add(id)
              else acceptOnce(known, occurrence.position)
            }
          }
          return [...gone]
        }
        const log = await openLog({
          type: {
            historyMs: 100 * HOUR_MS,
            matches: (args, data) => {
              if (data.kind === throwing) throw new Error('broken')
              return args.kind === undefined || args.kind === data.kind
            },
          },
          accept: async (principal, page, ctx) => {
            const way = broken.get(principal) ?? 'works'
            await new Promise((resolve) => setTimeout(resolve))
            if (way === 'fails') throw new Error('unreachable')
            const gone = store(page)
            if (way === 'stores and fails') throw new Error('the answer is lost')
            if (way === 'kills') {
              broken.delete(principal)
              ctx.abort('killed')
              await new Promise(() => undefined)
            }
            return gone
          },
        })
        const runAlarms = async () => {
          for (let turn = 0; turn < 50; turn++) {
            try {
              await runInDurableObject(log.stub, (object: EventLogObject) => object.alarm())
              if (((await log.alarmAt()) ?? Number.POSITIVE_INFINITY) > Date.now()) return
            } catch {
              // Killed: the platform runs the alarm again.
            }
          }
          throw new Error('The alarm is due in a loop')
        }

        await log.emit({ kind: 'a' })
        emitted.push({ kind: 'a', subject: undefined })
        const { log: name } = await log.read()
        const perform = async (each: Command) => {
          if (each.do === 'emit') {
            const first = emitted.length
            for (let n = 0; n < each.times; n++) emitted.push(each)
            await again(() => log.emitAll(each.times, first, { kind: each.kind }, each.subject))
          } else if (each.do === 'register') {
            const { principal, kind, back } = each
            const key = `${principal}-${kind}`
            const id = `${key}-${lives}`
            lives += 1
            const position = Math.max(0, emitted.length - (back ?? 0))
            const start = { after: back === undefined ? undefined : { log: name, position } }
            subscriptions.set(key, { id, after: position, kind, principal, accepted: [] })
            const registered = await again(() =>
              log.register(id, {
                principal,
                subject: principal,
                arguments: JSON.stringify(kind === undefined ? {} : { kind }),
                start: { ...start, maxAgeMs: undefined },
              }),
            )
            expect(registered.position).toBe(position)
          } else if (each.do === 'unregister') {
            const key = `${each.principal}-${each.kind}`
            const known = subscriptions.get(key)
            subscriptions.delete(key)
            await again(() => log.unregister(known?.id ?? key))
          } else if (each.do === 'break') broken.set(each.principal, each.way)
          else if (each.do === 'throw') throwing = each.kind
          else if (each.do === 'wait') {
            vi.setSystemTime(Date.now() + each.seconds * 1000)
            // An occurrence is given up after six faults, so that a fault must not last.
            throwing = undefined
          }
        }
        for (const [index, each] of commands.entries()) {
          if (each.do !== 'alarm') continue
          const next = commands[index + 1]
          const since = commands.slice(0, index).findLastIndex((other) => other.do === 'alarm')
          for (const other of commands.slice(since < 0 ? 0 : since + 2, index)) await perform(other)
          // The next command runs during the alarm.
          await Promise.all([runAlarms(), next && next.do !== 'alarm' && perform(next)])
        }

        broken.clear()
        throwing = undefined
        vi.setSystemTime(Date.now() + 2 * HOUR_MS)
        await runAlarms()
        for (const { id, after, kind, principal, accepted } of subscriptions.values()) {
          const concerned = emitted.flatMap((occurrence, index) => {
            const isOwn = occurrence.subject === undefined || occurrence.subject === principal
            const isMatch = kind === undefined || kind === occurrence.kind
            return index >= after && isOwn && isMatch ? [index + 1] : []
          })
          expect({ id, accepted }).toEqual({ id, accepted: concerned })
          const { position } = await log.register(id, {
            principal,
            subject: principal,
            start: undefined,
          })
          expect({ id, position }).toEqual({ id, position: emitted.length })
        }
      }),
      runs(30),
    )
  })
})
