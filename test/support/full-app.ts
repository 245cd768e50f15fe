/** Creates an app with every feature. The options of features are members beside those of the app. */
import type { ChangeBusOptions } from '../../durable-objects/hub/change-bus-options.ts'
import {
  type AdminFeature,
  type AuthConfig,
  apps,
  asks,
  changes,
  createEdgeway,
  type EdgewayOptions,
  type FactoryOptions,
  type Feature,
  files,
  type GrantProps,
  health,
  type LandingPageOptions,
  landingPage,
  type McpServer,
  type RateLimitOptions,
  rateLimits,
  type ServerFactory,
  type ServerSource,
  type SessionsOptions,
  sessions,
  skills,
  state,
  type TimelineFeature,
  tasks,
} from '../../src/index.ts'

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
