/** Opens a test client at anything that answers requests: its revision, what it declares, and the client that it plays. */

import type { Implementation } from '../../../src/protocol/content.ts'
import type { LogLevel } from '../../../src/protocol/log-level.ts'
import {
  findRevision,
  MODERN,
  REVISIONS,
  type Revision,
  type RevisionId,
} from '../../../src/protocol/revisions.ts'
import { McpError } from '../../client/src/mcp-error.ts'
import {
  type ClientProfile,
  PROFILE_NAMES,
  PROFILES,
  type ProfileName,
} from '../../client/src/profiles.ts'
import { Answerer, type ScriptedAnswers } from './asks.ts'
import type { Channel, ChannelOptions } from './channel.ts'
import { openHttpSse } from './http-sse-channel.ts'
import { openModern } from './modern-channel.ts'
import type { Fetch } from './post-channel.ts'
import { openSession, WITHOUT_SESSION } from './session-channel.ts'
import { TestClient } from './test-client.ts'
import { Uploads } from './uploads.ts'

/** A client that can answer everything. */
const CAN_ALL = {
  elicitation: { form: {}, url: {} },
  sampling: { tools: {} },
  roots: { listChanged: true },
}

/** What a client is like, wherever it connects. */
export interface PlayedOptions extends ScriptedAnswers {
  /**
   * Plays a client: its revision, name and capabilities, how long it waits for a call, the text of a result that it passes
   * on, and whether it has tasks and names its session. The other options replace what it has.
   */
  readonly as?: ProfileName
  /** Default: that of `as`, and the newest without. */
  readonly revision?: RevisionId
  /** How long the client waits for the result of a call, in milliseconds. Default: that of `as`, and without end without. */
  readonly callTimeoutMs?: number
  /** Default: those of `as`, and elicitation in both modes, sampling with tools, and roots without. `{}` cannot be asked. */
  readonly capabilities?: object
  readonly clientInfo?: Implementation
  /** The least important log messages to receive. Default: the server's, `info` in the modern era. */
  readonly logLevel?: LogLevel
}

/** Where a client connects. */
export interface Place {
  readonly send: Fetch
  /** Waits for what handlers have passed to `ctx.waitUntil`. */
  readonly settled: () => Promise<void>
  readonly url: string
}

export interface ResolvedClient {
  readonly options: PlayedOptions
  readonly revision: Revision
  readonly profile: ClientProfile | undefined
}

/** @throws {TypeError} for a revision or a client that is not in its table */
export function resolveClient(options: PlayedOptions): ResolvedClient {
  const profile = options.as === undefined ? undefined : profileNamed(options.as)
  const revision = findRevision(options.revision ?? profile?.revision ?? MODERN.id)
  if (revision !== undefined) return { options, revision, profile }
  const known = REVISIONS.map(({ id }) => id).join(', ')
  throw new TypeError(`revision must be one of ${known}, not ${options.revision}`)
}

function profileNamed(name: ProfileName): ClientProfile {
  if (Object.hasOwn(PROFILES, name)) return PROFILES[name]
  throw new TypeError(`as must be one of ${PROFILE_NAMES.join(', ')}, not ${name}`)
}

/** @throws {McpError} when the server refuses the connection */
export async function openClient(
  { send, settled, url }: Place,
  { options, revision, profile }: ResolvedClient,
): Promise<TestClient> {
  const answerer = new Answerer(options)
  // It receives what arrives after the handshake.
  let connected: TestClient | undefined
  const capabilities = options.capabilities ?? profile?.capabilities ?? CAN_ALL
  const uploads = new Uploads(send)
  const channel = await open(
    {
      send,
      url,
      revision,
      clientInfo: options.clientInfo ?? profile?.clientInfo ?? { name: 'test', version: '0.0.0' },
      capabilities,
      dropsSessionId: profile?.echoesSessionId === false,
      followsTasks: profile?.tasks === 'extension',
      logLevel: options.logLevel ?? (revision === MODERN ? 'info' : undefined),
      answer: async (asker, ask) => {
        const uploaded = await uploads.answer(ask)
        if (uploaded === undefined) return answerer.answer(asker, ask)
        answerer.received.push(ask)
        return uploaded
      },
      onNotification: (message) => connected?.receive(message),
    },
    answers(options),
  )
  connected = new TestClient(channel, {
    records: { asks: answerer.received, progress: [], logs: [] },
    uploads,
    settled,
    isModern: revision === MODERN,
    limits: {
      callTimeoutMs: options.callTimeoutMs ?? profile?.callTimeoutMs,
      progressResetsTimeout: profile?.progressResetsTimeout ?? false,
      resultLimit: profile?.resultLimit,
    },
    sendsTasks: profile?.tasks === 'params',
  })
  return connected
}

/** Whether the test expects asks. */
function answers({ elicit, sample, roots }: ScriptedAnswers): boolean {
  return elicit !== undefined || sample !== undefined || roots !== undefined
}

async function open(options: ChannelOptions, expectsAsks: boolean): Promise<Channel> {
  const { era } = options.revision
  if (era === 'modern') return openModern(options)
  if (era === 'http-sse') {
    try {
      const url = new URL(options.url)
      if (url.pathname === '/mcp') url.pathname = '/sse'
      return await openHttpSse({ ...options, url: url.href })
    } catch (error) {
      // Without session objects this revision is served by POST alone.
      if (!(error instanceof McpError) || error.status !== 404) throw error
    }
  }
  const channel = await openSession(options)
  if (expectsAsks && !channel.hasSession && options.dropsSessionId !== true) {
    throw new Error(WITHOUT_SESSION)
  }
  return channel
}
