/** Announces each app to a program that loads the Worker to examine it: `edgeway doctor --config`. */
import type { DefinitionCaller } from '../dispatch/definitions.ts'
import type { AuthConfig } from '../feature/auth-config.ts'
import type { RequiredBinding } from '../feature/required-bindings.ts'
import type { EventDescriptor } from '../protocol/events.ts'
import type { Tool } from '../protocol/primitives.ts'
import type { Definition } from '../server/definition.ts'

/** What the configuration of a Worker must agree with. `packages/doctor/src/config/inspector.ts` reads it. */
export interface AnnouncedApp {
  /** All paths of the app, as patterns. Empty for a handler that serves any path. */
  readonly paths: readonly string[]
  readonly auth: Pick<AuthConfig, 'type' | 'origins' | 'lifetimes'> | undefined
  /** Undefined for a factory. */
  readonly definition: Definition | undefined
  /** The definition of one caller. Absent for a definition that all callers share. */
  readonly definitionOf?:
    | ((env: unknown, caller: DefinitionCaller) => Promise<Definition>)
    | undefined
  /** The tools in the lists of clients without capabilities and with tasks. Absent for a factory. */
  readonly listedTools?: (() => readonly Tool[]) | undefined
  /** Which server of the Worker it is. */
  readonly audience: string
  readonly jurisdiction: string | undefined
  /** The longest silence of a stream. */
  readonly keepAliveMs: number
  /** Of the features. */
  /** The tool by which clients without tasks wait, and how long a request holds their calls. */
  readonly resultTool?: string
  /** The tool by which models pass on the answers of people. */
  readonly answerTool?: string
  readonly holdMs?: number
  readonly codeBinding?: string
  /** Whether its handlers may ask the client. */
  readonly asks?: boolean
  readonly eventTypes?: readonly EventDescriptor[]
  readonly sessionsOnly?: boolean
  /** The period of each class of rate limits, in seconds. */
  readonly limitPeriods?: ReadonlyMap<string, number>
  /** Creates the Server Card, with paths in place of URLs. */
  readonly serverCard?: () => object
  /** The kinds of objects that it has. */
  readonly kinds: readonly string[]
  /** Of features of the author. */
  readonly required: readonly RequiredBinding[]
}

const LISTENER = Symbol.for('edgeway.announce-app')

/** Does nothing in a deployed Worker, where no listener is set. */
export function announceApp(app: AnnouncedApp): void {
  const { [LISTENER]: listener } = globalThis as { readonly [LISTENER]?: unknown }
  if (typeof listener === 'function') listener(app)
}
