/** The journal: any handler of asks and steps, over any number of rounds, through the endpoint. */
// features: asks
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  Journal,
  type JournalState,
  parseJournalState,
} from '../../src/dispatch/journal/journal.ts'
import { NOTHING_SENT, SentMessages } from '../../src/dispatch/journal/sent-record.ts'
import { accept, form, said, serve } from '../dispatch/journal/serve-handler.ts'
import type { FullContext } from '../support/full-server.ts'
import { runs } from './settings.ts'

/** A statement of a handler: asks that are made together, or a step. */
type Statement =
  | { readonly type: 'ask'; readonly keys: readonly string[] }
  | { readonly type: 'step'; readonly key: string }

/** The statements have numbers, so that no key is repeated. */
const program = fc
  .array(fc.oneof(fc.record({ asks: fc.integer({ min: 1, max: 3 }) }), fc.constant('step')), {
    maxLength: 6,
    size: 'max',
  })
  .map((kinds) =>
    kinds.map((kind, index): Statement => {
      if (typeof kind === 'string') return { type: 'step', key: `s${index}` }
      return { type: 'ask', keys: Array.from({ length: kind.asks }, (_, at) => `q${index}.${at}`) }
    }),
  )

/** How the client responds to one question in one round. */
const reply = fc.constantFrom('right', 'right', 'right', 'wrong', 'none')

/** Runs a program and returns all values. Counts how often each step runs. */
async function execute(
  ctx: FullContext,
  statements: readonly Statement[],
  counts: Map<string, number>,
) {
  const values: unknown[] = []
  for (const statement of statements) {
    if (statement.type === 'step') {
      const { key } = statement
      const run = () => {
        counts.set(key, (counts.get(key) ?? 0) + 1)
        return { made: key }
      }
      values.push(await ctx.step(key, run))
    } else {
      values.push(await Promise.all(statement.keys.map((key) => ctx.elicit(form(key)))))
    }
  }
  return values
}

const expectedOf = (statement: Statement) =>
  statement.type === 'step'
    ? { made: statement.key }
    : statement.keys.map((key) => accept({ value: `answer ${key}` }))

describe('a handler that asks', () => {
  it('returns what it would return with all answers at once, and runs each step once, in any number of rounds', async () => {
    await fc.assert(
      fc.asyncProperty(program, fc.infiniteStream(reply), async (statements, replies) => {
        const counts = new Map<string, number>()
        const { send } = serve((ctx) => execute(ctx, statements, counts))
        const groups = statements.flatMap((one) => (one.type === 'ask' ? [one.keys] : []))
        const open = groups.map((keys) => new Set(keys))
        let { result } = await send({ name: 't' })
        for (let round = 0; result.resultType === 'input_required'; round++) {
          while (open[0]?.size === 0) open.shift()
          // The questions of a round are the unanswered ones of the first group that has any.
          expect(new Set(Object.keys(result.inputRequests))).toEqual(open[0])
          const inputResponses: Record<string, unknown> = {}
          for (const key of Object.keys(result.inputRequests)) {
            const how = round > 40 ? 'right' : replies.next().value
            if (how === 'none') continue
            // The same answer that does not fit would end the call, so each is another one.
            inputResponses[key] = accept({ value: how === 'right' ? `answer ${key}` : round })
            if (how === 'right') open[0]?.delete(key)
          }
          ;({ result } = await send({
            name: 't',
            requestState: result.requestState,
            inputResponses,
          }))
        }
        expect(said({ result })).toEqual(statements.map(expectedOf))
        const steps = statements.flatMap((one) =>
          one.type === 'step' ? [[one.key, 1] as const] : [],
        )
        expect([...counts]).toEqual(steps)
      }),
      runs(30),
    )
  })

  it('is refused when any of its arguments differs from those of the round before', async () => {
    const argument = fc.string({ unit: 'grapheme', maxLength: 6 })
    const { send } = serve((ctx) => ctx.elicit(form('name')))
    await fc.assert(
      fc.asyncProperty(argument, argument, async (first, second) => {
        const { result } = await send({ name: 't', arguments: { a: first } })
        const { requestState } = result
        const inputResponses = { name: accept({ value: 'x' }) }
        const next = await send({
          name: 't',
          arguments: { a: second },
          requestState,
          inputResponses,
        })
        expect(next.error?.code).toBe(first === second ? undefined : -32602)
      }),
      runs(40),
    )
  })
})

describe('the state of a journal', () => {
  const key = fc.stringMatching(/^[A-Za-z0-9_.-]{1,8}$/)
  const entry = fc.record({ key, kind: fc.constantFrom('answer', 'step'), value: fc.jsonValue() })
  const entries = fc.uniqueArray(entry, { selector: ({ key: own }) => own, maxLength: 8 })

  it('restores every entry after it was sent as JSON', () => {
    fc.assert(
      fc.property(entries, (written) => {
        const journal = new Journal()
        for (const { key: own, kind, value } of written) journal.write(own, kind, value as never)
        const state = parseJournalState(JSON.parse(JSON.stringify(journal.toState(NOTHING_SENT))))
        const restored = new Journal(state as JournalState)
        for (const { key: own, kind, value } of written) {
          const json = JSON.parse(JSON.stringify(value))
          expect(restored.read(own, kind)).toEqual({ kind, value: json })
          const other = kind === 'step' ? 'answer' : 'step'
          expect(() => restored.read(own, other)).toThrow(TypeError)
        }
        expect(restored.entries.size).toBe(written.length)
      }),
      runs(300),
    )
  })

  it('lets each round send only the messages that no earlier round has sent', () => {
    const message = fc.constantFrom('a', 'b', 'c')
    const round = fc.array(message, { maxLength: 5 })
    fc.assert(
      fc.property(
        fc.array(round, { maxLength: 4 }),
        fc.array(fc.nat({ max: 5 })),
        (rounds, values) => {
          const sent: string[] = []
          let record = NOTHING_SENT
          const handled: string[] = []
          for (const messages of rounds) {
            // A handler runs again from the top, so a round begins with the messages of the one before.
            handled.push(...messages)
            const outgoing = new SentMessages(record)
            for (const text of handled) if (outgoing.addLog({ data: text })) sent.push(text)
            record = JSON.parse(JSON.stringify(outgoing.toRecord([])))
          }
          expect(sent).toEqual(rounds.flat())
          const progress = new SentMessages()
          const increased = values.filter((value) => progress.addProgress(value))
          expect(increased).toEqual(
            values.filter((value, at) => values.slice(0, at).every((one) => one < value)),
          )
        },
      ),
      runs(300),
    )
  })
})
