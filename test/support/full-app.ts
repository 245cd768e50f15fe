/**
 * Creates an app with every feature. The options of features are members beside those of the app.
 * `npm run without` removes the lines of a feature: each one names what it imports of it in one line.
 */

import type { Events } from '../../packages/events/src/index.ts'
import type { AdminFeature } from '../../packages/inspector/src/admin/index.ts'
import type { TimelineFeature } from '../../packages/inspector/src/timeline/index.ts'
import type { AnyFeature, FeatureOption } from '../../src/feature/feature.ts'
import { apps } from '../../src/features/apps/index.ts'
import { asks } from '../../src/features/asks/asks.ts'
import { files } from '../../src/features/files/index.ts'
import { type RateLimitOptions, rateLimits } from '../../src/features/rate-limits/index.ts'
import { skills } from '../../src/features/skills/index.ts'
import { state } from '../../src/features/state/index.ts'
import { tasks } from '../../src/features/tasks/index.ts'
import {
  createEdgeway,
  type EdgewayOptions,
  type FactoryOptions,
  type GrantProps,
  type McpServer,
  type ServerFactory,
} from '../../src/index.ts'
import type { ServerSource } from '../../src/server/mcp-server.ts'
import { type ChangesOptions, changesOf } from './features/changes.ts'
import { healthOf } from './features/health.ts'
import { type LandingPageOptions, landingPageOf } from './features/landing-page.ts'
import { type SessionSettings, sessionsOf } from './features/sessions.ts'

/** The limits of features, by their names. Those of `changes()` are in `hub`. */
export interface FeatureLimits {
  readonly asks?: Parameters<typeof asks>[0]
  readonly sessions?: SessionSettings['limits']
  readonly tasks?: Parameters<typeof tasks>[0]
  readonly state?: Parameters<typeof state>[0]
  readonly files?: Parameters<typeof files>[0]
}

export interface FeatureSettings {
  readonly featureLimits?: FeatureLimits
  readonly httpSse?: SessionSettings['httpSse']
  readonly sessionsOnly?: SessionSettings['sessionsOnly']
  readonly hub?: ChangesOptions
  readonly rateLimits?: RateLimitOptions | false
  readonly landingPage?: LandingPageOptions | false
  /** The path. */
  readonly health?: Parameters<typeof healthOf>[0]
  readonly events?: Events
  readonly timeline?: TimelineFeature
  readonly admin?: AdminFeature
  readonly inspector?: AnyFeature
  readonly serverCard?: AnyFeature
  readonly search?: AnyFeature | false
  readonly code?: AnyFeature | false
  readonly connections?: AnyFeature | false
  readonly otherPaths?: readonly string[]
  /** The names of features that the app does not have. */
  readonly without?: readonly string[]
}

/** The names of all settings, which no option of an app has. */
const SETTINGS: readonly string[] = [
  'featureLimits',
  'httpSse',
  'sessionsOnly',
  'hub',
  'rateLimits',
  'landingPage',
  'health',
  'events',
  'timeline',
  'admin',
  'inspector',
  'serverCard',
  'search',
  'code',
  'connections',
  'otherPaths',
  'without',
]

export type FullOptions = Omit<EdgewayOptions, 'features'> & FeatureSettings

export type FullFactoryOptions = Omit<FactoryOptions, 'features'> & FeatureSettings

/** The features that have a member of the app or a class. */
function allFeatures(settings: FeatureSettings) {
  return [
    asks(settings.featureLimits?.asks),
    sessionsOf({ ...settings, limits: settings.featureLimits?.sessions }),
    tasks(settings.featureLimits?.tasks),
    changesOf(settings.hub),
    state(settings.featureLimits?.state),
    files(settings.featureLimits?.files),
    skills(),
    apps(),
    rateLimits(settings.rateLimits),
    landingPageOf(settings.landingPage),
    healthOf(settings.health),
    // A test that uses `edgeway.events`, `edgeway.timeline` or `edgeway.admin` has passed the feature.
    settings.events as Events,
    settings.timeline as TimelineFeature,
    settings.admin as AdminFeature,
    settings.inspector,
    settings.serverCard,
    settings.search,
    settings.code,
    settings.connections,
  ] as const
}

type All = ReturnType<typeof allFeatures>

function settingsOf({ otherPaths = [], path = '/mcp', without = [], ...options }: FullOptions) {
  const isWanted = (feature: FeatureOption) => !feature || !without.includes(feature.name)
  const own = Object.entries(options).filter(([name]) => !SETTINGS.includes(name))
  return {
    ...Object.fromEntries(own),
    path: [path, ...otherPaths].flat(),
    features: allFeatures(options).filter(isWanted),
  }
}

export function createFullEdgeway<Env = unknown, Props = GrantProps>(
  server: McpServer<Env, Props> | ServerSource | ServerFactory<Env, Props>,
  options: FullOptions | FullFactoryOptions = {},
) {
  return createEdgeway<Env, Props, All>(
    server as McpServer<Env, Props>,
    settingsOf(options) as never,
  )
}

export type FullEdgeway<Env = unknown> = ReturnType<typeof createFullEdgeway<Env>>
