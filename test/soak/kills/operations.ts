/** The operations whose server is killed: what a client of each era does, and at which of its moments. */
import type { Part, Place } from '../../fixtures/probes/work-parts.ts'
import { CALLS, type Plan, type PlannedCall } from '../calls.ts'
import { type ClientSetting, callContext, nextId } from '../clients/client.ts'
import { Conversation } from '../clients/conversation.ts'
import { HttpSseClient } from '../clients/http-sse-client.ts'
import { ModernCall } from '../clients/modern-call.ts'
import { ModernClient } from '../clients/modern-client.ts'
import { Publisher } from '../clients/publisher.ts'
import { openSession, SessionClient } from '../clients/session-client.ts'
import { ShortSessions } from '../clients/short-sessions.ts'
import { SoakTask } from '../clients/soak-task.ts'
import { StateClient } from '../clients/state-client.ts'
import { ModernTasks, SessionTasks } from '../clients/task-wire.ts'
import { TokenCaller } from '../clients/token-caller.ts'
import { SessionLife } from '../ledger/session-life.ts'
import type { Moment } from '../moments.ts'
import { TASKS, type TaskPlan } from '../tasks.ts'

const SESSION_ERAS = ['2025-11-25', '2025-06-18', '2025-03-26'] as const

export const ERAS = ['2024-11-05', ...SESSION_ERAS, '2026-07-28'] as const

export type Era = (typeof ERAS)[number]

/** One era of each kind, for what the revisions of sessions do not differ in. */
const ONE_OF_EACH = ['2024-11-05', '2025-11-25', '2026-07-28'] as const

export interface Operation {
  readonly title: string
  readonly eras: readonly Era[]
  readonly moments: (era: Era) => readonly Moment[]
  /** Whether it needs the server with authorization. */
  readonly isProtected?: boolean
  run(setting: ClientSetting, era: Era): Promise<unknown>
}

/** Without a session, the answer is a request that has the result of the call. */
const ASKING = (era: Era): readonly Moment[] => [
  ...(['call-sent', 'ask-received', 'answer-sent'] as const),
  ...(era === '2026-07-28' ? [] : (['answer-accepted'] as const)),
]

async function perform(
  setting: ClientSetting,
  era: Era,
  calls: readonly PlannedCall[],
): Promise<void> {
  const [call] = calls
  if (call === undefined) return
  if (era === '2026-07-28') return new ModernCall(setting, call, setting.random).run()
  if (era === '2024-11-05') {
    const client = new HttpSseClient(setting)
    await client.open()
    await client.perform(call)
    return client.settle()
  }
  const session = await openSession(setting, era)
  if (session === undefined) return
  const life = new SessionLife(setting.ledger, session.id.slice(-12))
  await new Conversation(setting, session, life, calls, setting.random).run()
}

function call(title: string, plan: Plan, more: Partial<Operation> = {}): Operation {
  const run = (setting: ClientSetting, era: Era) =>
    perform(setting, era, [plan(callContext(setting, setting.random))])
  return { title, eras: ERAS, moments: () => ['call-sent'], run, ...more }
}

const asking = (title: string, plan: Plan, more: Partial<Operation> = {}): Operation =>
  call(title, plan, { moments: ASKING, ...more })

function task(
  title: string,
  plan: (name: string) => TaskPlan,
  moments: readonly Moment[],
  eras: readonly Era[] = ['2026-07-28', '2025-11-25'],
): Operation {
  return {
    title,
    eras,
    moments: () => ['call-sent', 'task-created', ...moments],
    async run(setting, era) {
      const { random } = setting
      const session = era === '2026-07-28' ? undefined : await openSession(setting, era)
      const wire = session ? new SessionTasks(setting, () => session) : new ModernTasks(setting)
      await new SoakTask(setting, wire, random, plan(`task-${nextId()}`)).run()
    },
  }
}

/** A task whose handler is held at one place of its second part until the kill. */
function heldTask(kind: Part['kind'], at: Place): Operation {
  const parts = [{ kind: 'step' as const }, { kind }, { kind: 'step' as const }]
  const plan = (name: string) => TASKS.work(name, parts, { part: 1, at })
  const place = at === 'boundary' ? 'before' : `${at.replace('-', ' the ')} of`
  const what = kind === 'once' ? 'a step that must not run twice' : 'a step that may run again'
  const operation = task(`a task ${place} ${what}`, plan, [], ['2026-07-28'])
  return { ...operation, moments: () => ['task-held'] }
}

/** Listens to the changes of a topic while they are published. */
const CHANGES: Operation = {
  title: 'a stream of changes',
  eras: ERAS,
  // The stream of 2024-11-05 opens with its session.
  moments: (era) => [
    ...(era === '2024-11-05' ? [] : (['listen-sent'] as const)),
    'publication-sent',
  ],
  async run(setting, era) {
    const modern = era === '2026-07-28' ? new ModernClient(setting) : undefined
    const old = era === '2024-11-05' ? new HttpSseClient(setting) : undefined
    const client = modern ?? old ?? new SessionClient(setting, era)
    await client.open()
    const publisher = new Publisher(setting)
    for (let count = 0; count < 6; count++) await publisher.operate(setting.random)
    await client.settle()
  },
}

const TERMINATION: Operation = {
  title: 'a session that is used and terminated',
  eras: SESSION_ERAS,
  moments: () => ['call-sent', 'termination-sent'],
  async run(setting, era) {
    const sessions = new ShortSessions(setting, [era])
    await sessions.operate(setting.random)
    await sessions.settle()
  },
}

/** The same for a client that cuts its streams, and repeats what it may repeat, whenever it can. */
function cutting({ title, eras, run, ...operation }: Operation): Operation {
  return {
    ...operation,
    title: `${title}, whose client cuts its streams`,
    eras: eras.filter((era) => SESSION_ERAS.some((each) => each === era)),
    run: (setting, era) => run({ ...setting, random: setting.random.eager() }, era),
  }
}

function credential(
  title: string,
  moment: Moment,
  use: (caller: TokenCaller, setting: ClientSetting) => Promise<void>,
): Operation {
  return {
    title,
    eras: ['2026-07-28'],
    moments: () => [moment],
    isProtected: true,
    async run(setting) {
      const { server, ledger, caller } = setting
      const person = { subject: 'owner', effects: caller.effects } as const
      const own = new TokenCaller(server, ledger, person)
      await own.open()
      await use(own, setting)
    },
  }
}

export const OPERATIONS: readonly Operation[] = [
  call('a call', CALLS.echo, { eras: ONE_OF_EACH }),
  call('a call with a large result', CALLS.big, { eras: ONE_OF_EACH }),
  call('a call that counts', CALLS.count, { eras: ONE_OF_EACH }),
  call('a call that must not run twice', CALLS.countAndWait, {
    eras: ['2024-11-05', ...SESSION_ERAS],
    moments: () => ['message-received'],
  }),
  call('a call that reports its progress', CALLS.progress),
  call('a call that may be repeated', CALLS.readsOnly),
  call('a call of ten steps', CALLS.tenSteps, { eras: ONE_OF_EACH }),
  cutting(call('a call that reports its progress', CALLS.progress)),
  cutting(asking('a call that asks between two steps', CALLS.askCount)),
  call('a call that sleeps', CALLS.sleepStep, { eras: ONE_OF_EACH }),
  asking('a call that asks between two steps', CALLS.askCount),
  asking('a call that asks twice', CALLS.askTwo, { eras: ['2025-11-25', '2026-07-28'] }),
  asking('a call that asks two questions at once', CALLS.askTogether, {
    eras: ['2025-11-25', '2026-07-28'],
  }),
  asking('a call whose state is accepted once', CALLS.singleUse, { eras: ['2026-07-28'] }),
  {
    title: 'a batch of calls',
    eras: ['2025-03-26'],
    moments: ASKING,
    run(setting, era) {
      const plans = [CALLS.progress, CALLS.count, CALLS.askCount]
      const calls = plans.map((plan) => plan(callContext(setting, setting.random)))
      return perform(setting, era, calls)
    },
  },
  asking('a call of a principal', CALLS.askCount, { eras: ONE_OF_EACH, isProtected: true }),
  TERMINATION,
  CHANGES,
  cutting(CHANGES),
  {
    title: 'a value of ctx.state',
    eras: ['2026-07-28'],
    moments: () => ['state-sent'],
    run: (setting) => new StateClient(setting).run(),
  },
  task('a task of ten steps', TASKS.steps, []),
  task('a task that sleeps', TASKS.sleep, []),
  task('a task that is cancelled', TASKS.cancelled, ['task-cancelled']),
  task('a task that waits for an event', TASKS.event, ['task-delivered']),
  task('a task that waits for a webhook', TASKS.webhook, ['task-delivered']),
  task(
    'a task that asks',
    (name) => TASKS.work(name, [{ kind: 'step' }, { kind: 'ask' }, { kind: 'step' }]),
    ['ask-received', 'answer-sent', 'answer-accepted'],
    ['2026-07-28'],
  ),
  ...(['boundary', 'before-effect', 'after-effect'] as const).flatMap((at) => [
    heldTask('step', at),
    heldTask('once', at),
  ]),
  credential('a refresh token', 'refresh-sent', (own, { random }) => own.refresh(random)),
  credential('an authorization code', 'redemption-sent', (own, { random }) => own.redeem(random)),
]
