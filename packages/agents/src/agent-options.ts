/** The settings of an agent class that are Edgeway's own: `static edgeway = { … }`. */
import type { EdgewayOptions } from '../../../src/app.ts'
import type { FromContextOptions } from '../../../src/auth/from-context.ts'
import type { FeatureOption } from '../../../src/feature/feature.ts'
import type { SessionsOptions } from '../../../src/features/sessions/sessions.ts'

export interface AgentOptions
  extends Pick<EdgewayOptions, 'allowedHosts' | 'limits' | 'telemetry'>,
    Omit<FromContextOptions, 'anonymous'> {
  /**
   * Features besides those that an agent of the Agents SDK has, such as `changes()`. `sessions()` is one of
   * them already.
   */
  readonly features?: readonly FeatureOption[]
  /** The limits of the sessions. */
  readonly sessions?: Omit<SessionsOptions, 'httpSse' | 'only'>
  /**
   * Who may call, such as `embedded(…)`. `this.props` are then the props of the grant. Default: the caller
   * that code in front of the agent has named in `ctx.props`, and everyone where nothing has.
   */
  readonly auth?: EdgewayOptions['auth']
  /**
   * Whether all requests of a caller share one instance, for agents that keep nothing in `this` after
   * `init()`. A request of the modern revision then costs no `init()` of its own. Default false.
   */
  readonly sharesInstances?: boolean
  /**
   * Whether a call needs a session, so that modern clients open one. Default: whether the class uses
   * `setState` or `initialState`.
   */
  readonly needsSession?: boolean
}
