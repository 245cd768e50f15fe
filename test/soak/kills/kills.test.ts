/**
 * Every operation × moment × era, with the ledger of the soak. All clients of one kind of kill share it: each is
 * held at its moment until the server is killed. EDGEWAY_SEED repeats the choices of a run.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { send } from '../../faults/sessions/send.ts'
import { verifies } from '../../support/verifies.ts'
import type { Caller } from '../clients/client.ts'
import { readCounters } from '../clients/read-counters.ts'
import { TokenCaller } from '../clients/token-caller.ts'
import { KilledServer } from '../killed-server.ts'
import { EffectBook } from '../ledger/effect-book.ts'
import { Ledger } from '../ledger/ledger.ts'
import { Topic } from '../ledger/topics.ts'
import { MOMENTS, type Moment } from '../moments.ts'
import { Random } from '../random.ts'
import { formatViolation } from '../report.ts'
import { type Era, OPERATIONS, type Operation } from './operations.ts'
import { type HeldClient, Round } from './round.ts'

const { EDGEWAY_SEED = '' } = process.env
const SEED = EDGEWAY_SEED === '' ? Random.newSeed() : Number(EDGEWAY_SEED)

const TIMEOUT_MS = 400_000

/** Kills while the clients are held before what they do next, and some time after they have sent it, in milliseconds. */
const KILLS = [undefined, 2, 120] as const

const NAMES: Readonly<Record<Moment, string>> = {
  'call-sent': 'the call',
  'message-received': 'a message was received',
  'ask-received': 'the question was received',
  'answer-sent': 'the answer',
  'answer-accepted': 'the answer was accepted',
  'resume-sent': 'the request that resumes a stream',
  'listen-sent': 'the request that opens a stream',
  'publication-sent': 'a publication',
  'termination-sent': 'the termination',
  'refresh-sent': 'the refresh',
  'redemption-sent': 'the redemption',
  'task-created': 'the task was created',
  'task-held': 'its handler is there',
  'state-sent': 'a write',
  'task-delivered': 'the delivery',
  'task-cancelled': 'the cancellation',
}

/** Where a client has received something, or waits, and sends nothing itself. */
const isPassive = (moment: Moment) =>
  !NAMES[moment].startsWith('the re') && / (was|is) /.test(NAMES[moment])

interface Cell {
  readonly name: string
  readonly operation: Operation
  readonly moment: Moment
  readonly era: Era
}

const CELLS: readonly Cell[] = OPERATIONS.flatMap((operation) =>
  operation.eras.flatMap((era) =>
    operation.moments(era).map((moment) => ({
      name: `${operation.title} (${era}) at ${moment}`,
      operation,
      moment,
      era,
    })),
  ),
)

const nameOf = (name: string, afterMs: number | undefined) => `${name}, ${afterMs ?? 'held'}`

function titleOf(moment: Moment, afterMs: number | undefined): string {
  if (isPassive(moment)) return `when ${NAMES[moment]}`
  return afterMs === undefined ? `before ${NAMES[moment]}` : `${afterMs} ms after ${NAMES[moment]}`
}

/** A server with the clients of all its rounds. */
class Lane {
  readonly ledger = new Ledger()
  readonly #isProtected: boolean
  #server: KilledServer | undefined
  #caller: Caller | undefined

  constructor(isProtected: boolean) {
    this.#isProtected = isProtected
  }

  async start(): Promise<void> {
    const ledger = this.ledger
    const served = { protected: this.#isProtected, variant: 'work' } as const
    const server = await KilledServer.start({ name: '', ledger, served })
    const effects = new EffectBook(ledger.client('all calls'))
    this.#server = server
    this.#caller = { fetch: send, effects, subject: null }
    if (!this.#isProtected) return
    const person = { subject: 'owner', effects } as const
    const caller = new TokenCaller(server, ledger.client('tokens'), person)
    await caller.open()
    this.#caller = caller
  }

  /** Runs the cells over one kind of kill, and returns the client of each. */
  async run(afterMs: number | undefined, cells: readonly Cell[]): Promise<Map<Cell, HeldClient>> {
    const [server, caller] = [this.#server, this.#caller]
    if (server === undefined || caller === undefined)
      throw new TypeError('The lane has not started')
    const round = new Round(server)
    const clients = new Map(cells.map((cell) => [cell, round.client(cell.moment)]))
    const works = [...clients].map(([{ name, operation, era }, client], index) => async () => {
      const ledger = this.ledger.client(nameOf(name, afterMs))
      const topic = new Topic(`${index}-${afterMs ?? 'held'}`)
      const random = new Random(SEED).fork(`${afterMs} ${name}`)
      const setting = { server: client, ledger, caller, topic, random }
      await operation.run(setting, era).catch((error) => {
        ledger.violation('unexpected-answer', `The operation failed: ${error?.stack ?? error}`)
      })
    })
    await round.run(afterMs, works)
    await caller.effects.check((counters) => readCounters(server.url, caller, counters))
    expect(server.log).not.toContain('internal-error')
    return clients
  }

  /** The violations that a client has, each with its last lines. */
  violationsOf(name: string): string[] {
    const own = this.ledger.violations.filter(({ client }) => client === name)
    return own.map((violation) => formatViolation(violation, SEED))
  }

  stop(): Promise<void> | undefined {
    return this.#server?.stop()
  }
}

const LANES = [new Lane(false), new Lane(true)]

beforeAll(async () => {
  process.stdout.write(`The seed of the kills: ${SEED}\n`)
  await Promise.all(LANES.map((lane) => lane.start()))
}, TIMEOUT_MS)
afterAll(() => Promise.all(LANES.map((lane) => lane.stop())))

describe.each(KILLS)('a server that is killed', (afterMs) => {
  const cells = CELLS.filter(({ moment }) => afterMs === undefined || !isPassive(moment))
  const clients = new Map<Cell, HeldClient>()

  beforeAll(async () => {
    const runs = LANES.map(async (lane, index) => {
      const own = cells.filter(({ operation }) => (operation.isProtected ? 1 : 0) === index)
      for (const [cell, client] of await lane.run(afterMs, own)) clients.set(cell, client)
    })
    await Promise.all(runs)
  }, TIMEOUT_MS)

  for (const moment of MOMENTS) {
    const own = cells.filter((cell) => cell.moment === moment)
    if (own.length === 0) continue
    describe(titleOf(moment, afterMs), () => {
      it.each(own.map((cell) => [cell.operation.title, cell.era, cell] as const))(
        'loses, repeats and mixes up nothing of %s (%s)',
        (_title, _era, cell) => {
          verifies('tasks/task-is-durable-first', { row: 'a task of ten steps' })
          expect(LANES.flatMap((lane) => lane.violationsOf(nameOf(cell.name, afterMs)))).toEqual([])
          expect(clients.get(cell)?.hasArrived).toBe(true)
        },
      )
    })
  }

  it('mixes up nothing of the counters that all calls share', () => {
    expect(LANES.flatMap((lane) => lane.violationsOf('all calls'))).toEqual([])
  })
})
