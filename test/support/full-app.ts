/** Creates an app with every feature. The options of features are members beside those of the app. */

import type { ChangeBusOptions } from '../../durable-objects/hub/change-bus-options.ts'
import type { AuthConfig } from '../../src/auth/index.ts'
import type { Feature } from '../../src/feature/index.ts'
import type { AdminFeature } from '../../src/features/admin/index.ts'
import { apps } from '../../src/features/apps/index.ts'
import { changes } from '../../src/features/changes/index.ts'
import { files } from '../../src/features/files/index.ts'
import { health } from '../../src/features/health/index.ts'
import { type LandingPageOptions, landingPage } from '../../src/features/landing-page/index.ts'
import { type RateLimitOptions, rateLimits } from '../../src/features/rate-limits/index.ts'
import { type SessionsOptions, sessions } from '../../src/features/sessions/index.ts'
import { skills } from '../../src/features/skills/index.ts'
import { state } from '../../src/features/state/index.ts'
import { tasks } from '../../src/features/tasks/index.ts'
import type { TimelineFeature } from '../../src/features/timeline/index.ts'
import {
  asks,
  createEdgeway,
  type EdgewayOptions,
  type FactoryOptions,
  type GrantProps,
  type McpServer,
  type ServerFactory,
} from '../../src/index.ts'
import type { ServerSource } from '../../src/server/mcp-server.ts'

export interface FeatureSettings {
  readonly httpSse?: SessionsOptions['httpSse']
  readonly sessionsOnly?: boolean
  readonly sessionBinding?: string
  readonly taskBinding?: string
  readonly hub?: ChangeBusOptions
  readonly rateLimits?: RateLimitOptions | false
  readonly landingPage?: LandingPageOptions | false
  /** The path. */
  readonly health?: string | false
  readonly timeline?: TimelineFeature
  readonly admin?: AdminFeature
  readonly inspector?: Feature
  readonly otherPaths?: readonly string[]
}

export type FullOptions = Omit<EdgewayOptions, 'features'> & FeatureSettings

export type FullFactoryOptions = Omit<FactoryOptions, 'features'> & FeatureSettings

/** The features that have a member of the app or a class. */
function allFeatures(settings: FeatureSettings) {
  const { httpSse, sessionsOnly, sessionBinding, taskBinding, hub } = settings
  const { timeline, admin, inspector } = settings
  const sessionOptions: SessionsOptions = {
    ...(httpSse === undefined ? undefined : { httpSse }),
    ...(sessionsOnly === undefined ? undefined : { only: sessionsOnly }),
    ...(sessionBinding === undefined ? undefined : { binding: sessionBinding }),
  }
  return [
    asks(),
    sessions(sessionOptions),
    tasks(taskBinding === undefined ? {} : { binding: taskBinding }),
    changes(hub),
    state(),
    files(),
    skills(),
    apps(),
    rateLimits(settings.rateLimits),
    settings.landingPage !== false && landingPage(settings.landingPage),
    settings.health !== false &&
      health(settings.health === undefined ? {} : { path: settings.health }),
    // A test that uses `edgeway.timeline` or `edgeway.admin` has passed the feature.
    timeline as TimelineFeature,
    admin as AdminFeature,
    inspector,
  ] as const
}

type All = ReturnType<typeof allFeatures>

function settingsOf<Options extends FullOptions>(options: Options) {
  const {
    httpSse: _1,
    sessionsOnly: _2,
    sessionBinding: _3,
    taskBinding: _4,
    hub: _5,
    rateLimits: _6,
    landingPage: _7,
    health: _8,
    timeline: _9,
    admin: _10,
    inspector: _11,
    otherPaths = [],
    path = '/mcp',
    ...own
  } = options
  return { ...own, path: [path, ...otherPaths].flat(), features: allFeatures(options) }
}

export function createFullEdgeway<Env = unknown, Props = GrantProps>(
  server: McpServer<Env, Props> | ServerSource | ServerFactory<Env, Props>,
  options: FullOptions | FullFactoryOptions = {},
) {
  return createEdgeway<Env, Props, All, AuthConfig>(
    server as McpServer<Env, Props>,
    settingsOf(options) as never,
  )
}

export type FullEdgeway<Env = unknown> = ReturnType<typeof createFullEdgeway<Env>>
