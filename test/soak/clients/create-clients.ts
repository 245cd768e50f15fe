/** The clients of a lane: every era, with one caller, or with two persons who must not meet. */
import { send } from '../../faults/sessions/send.ts'
import type { KilledServer } from '../killed-server.ts'
import { EffectBook } from '../ledger/effect-book.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { Topic } from '../ledger/topics.ts'
import type { Random } from '../random.ts'
import type { Caller, ClientSetting, SoakClient } from './client.ts'
import { HttpSseClient } from './http-sse-client.ts'
import { Intruder } from './intruder.ts'
import { ModernClient } from './modern-client.ts'
import { Publisher } from './publisher.ts'
import { SessionClient } from './session-client.ts'
import { SESSION_VERSIONS, ShortSessions } from './short-sessions.ts'
import { TokenCaller } from './token-caller.ts'
import { TokenWorker } from './token-worker.ts'

export interface LaneParts {
  readonly name: string
  readonly server: KilledServer
  readonly ledger: Ledger
  readonly random: Random
}

export interface LaneClients {
  readonly clients: readonly SoakClient[]
  /** One caller of each principal. */
  readonly callers: readonly Caller[]
}

export function createClients(parts: LaneParts): Promise<LaneClients> {
  return parts.server.isProtected ? createProtected(parts) : Promise.resolve(createOpen(parts))
}

function createOpen({ name, server, ledger, random }: LaneParts): LaneClients {
  const effects = new EffectBook(ledger.client(`${name}/anonymous`))
  const caller: Caller = { fetch: send, effects, subject: null }
  const topics = [new Topic(`${name}-1`), new Topic(`${name}-2`)]
  const setting = (client: string, topic: Topic): ClientSetting => ({
    server,
    ledger: ledger.client(`${name}/${client}`),
    caller,
    topic,
    random: random.fork(client),
  })
  const clients = topics.flatMap((topic, index) => [
    ...SESSION_VERSIONS.map(
      (version) => new SessionClient(setting(`${version}.${index}`, topic), version),
    ),
    new HttpSseClient(setting(`2024-11-05.${index}`, topic)),
    new ModernClient(setting(`2026-07-28.${index}`, topic)),
    new Publisher(setting(`publisher.${index}`, topic)),
  ])
  const [first = new Topic(name)] = topics
  return {
    clients: [...clients, new ShortSessions(setting('short-sessions', first))],
    callers: [caller],
  }
}

async function createProtected({ name, server, ledger, random }: LaneParts): Promise<LaneClients> {
  const clients: SoakClient[] = []
  const callers: Caller[] = []
  const victims: SessionClient[] = []
  for (const subject of ['owner', 'guest'] as const) {
    const of = (client: string) => ledger.client(`${name}/${subject}/${client}`)
    const effects = new EffectBook(of('effects'))
    const caller = new TokenCaller(server, of('tokens'), { subject, effects })
    await caller.open()
    callers.push(caller)
    const topic = new Topic(`${name}-${subject}`)
    const setting = (client: string): ClientSetting => ({
      server,
      ledger: of(client),
      caller,
      topic,
      random: random.fork(`${subject}/${client}`),
    })
    const sessions = SESSION_VERSIONS.map((version) => new SessionClient(setting(version), version))
    if (victims.length > 0) clients.push(new Intruder(setting('intruder'), [...victims]))
    victims.push(...sessions)
    clients.push(
      ...sessions,
      new HttpSseClient(setting('2024-11-05')),
      new ModernClient(setting('2026-07-28')),
      new Publisher(setting('publisher')),
      new ShortSessions(setting('short-sessions')),
      new TokenWorker(caller),
    )
  }
  return { clients, callers }
}
