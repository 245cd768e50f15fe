/**
 * The contract of a feature: what an app gives to it, and what it brings to the app. An app consists of the
 * core and of the features that its author passes; the core imports none of them.
 */
import type { DispatchParts } from '../dispatch/extensions.ts'
import type { HealthCheck } from '../ports/health.ts'
import type { Kind } from '../ports/object-kinds.ts'
import type { AppObjects, ObjectSettings, ObjectSupport, PartSource } from '../ports/objects.ts'
import type { RequestReader } from '../ports/request-observer.ts'
import type { KeyedService } from '../ports/service-key.ts'
import type { Services } from '../ports/services.ts'
import type { Implementation } from '../protocol/content.ts'
import type { HostCheck } from '../security/host.ts'
import type { ServerOrigins } from '../security/server-origins.ts'
import type { Definition } from '../server/definition.ts'
import type { ContextSource } from '../server/uses.ts'
import type { PathPattern } from '../transport/endpoint-paths.ts'
import type { EntranceOptions } from '../transport/entrance.ts'
import type { AppSettings } from '../transport/exchange.ts'
import type { TransportParts, TransportPaths } from '../transport/extensions.ts'
import type { AuthConfig, AuthGate } from './auth-config.ts'
import type { Extension } from './extension-point.ts'
import type { RequiredBinding } from './required-bindings.ts'
import type { Route } from './route.ts'

/** The member by which an app recognises a feature of its own copy of the package. */
export const FEATURE: unique symbol = Symbol('edgeway.feature')

/**
 * A value for the option `features` of `createEdgeway`, and for `uses` of `createServer`.
 *
 * @typeParam Name unique in an app
 * @typeParam Api the members that it brings to `edgeway`, each a function of the environment
 * @typeParam Brings the names of the features whose members it brings to the context: its own, and those that it needs
 */
export interface Feature<
  Name extends string = string,
  Api extends object = object,
  Brings extends string = never,
> extends ContextSource<Brings, Api> {
  readonly name: Name
  /** @internal */
  readonly [FEATURE]: FeatureSetup<Api>
}

/** A feature, or what a condition leaves of one: `isOwner && tasks()`. */
export type FeatureOption = AnyFeature | false | null | undefined

/** A feature of any type parameters. */
export type AnyFeature = Feature<string, object, string>

export interface FeatureSetup<Api extends object = object> {
  /** The features that this one needs. An app that lacks one has it all the same. */
  readonly needs: readonly AnyFeature[]
  /** Called once for each app. What `app` gets later, such as the gate, is read when a request needs it. */
  create(app: AppContext): FeatureParts<Api>
}

/** A resource beside the endpoint: tokens must be issued for it by its name, and have its scope. */
export interface OwnResource {
  readonly pattern: PathPattern
  /** Undefined where callers have no tokens. */
  readonly scope: string | undefined
}

/** What an app gives to its features. */
export interface AppContext extends AppSettings {
  readonly info: Implementation
  readonly objectSettings: ObjectSettings
  /** The objects of this server in an environment. */
  readonly objectsIn: (env: unknown) => AppObjects
  readonly origins: ServerOrigins
  /** That of the feature which brings one. */
  readonly ownResource: OwnResource | undefined
  readonly auth: AuthConfig | undefined
  readonly gate: AuthGate | undefined
  /** The definition of all callers; undefined for a factory. */
  readonly definition: Definition | undefined
  readonly checkHost: HostCheck
  readonly servicesOf: (env: unknown) => Services
  /** The paths of the endpoint. */
  readonly patterns: readonly PathPattern[]
  readonly queryParams: readonly string[]
  /** The sources of the paths without params. Each is a resource of its own. */
  readonly singlePaths: readonly string[]
  /** The paths of the transport of 2024-11-05; undefined where no feature serves it. */
  readonly httpSse: TransportPaths | undefined
  /** The source of the pattern that a path has, with its trailing slash; undefined for any other path. */
  readonly patternOf: (pathname: string) => string | undefined
  /** Whether neither the endpoint nor authorization has a path. */
  readonly isFree: (path: string) => boolean
  readonly entranceOptions: EntranceOptions
  /** What asks the objects of all features. */
  readonly healthChecks: () => readonly HealthCheck[]
  /** What another feature of the app brings; undefined where the app does not have it. */
  readonly partsOf: (name: string) => FeatureParts | undefined
  /** What the features of the app bring for places that others declare. */
  readonly extensions: readonly Extension[]
}

/** Creates a service over the bindings of an environment; undefined where its binding is missing. */
export type ServiceFactories = {
  readonly [Name in Exclude<keyof Services, 'of'>]?: (
    bindings: Readonly<Record<string, unknown>>,
  ) => ReturnType<Services[Name]>
}

/** What a feature brings. Each member is one extension point of the core. */
export interface FeatureParts<Api extends object = object> {
  readonly dispatch?: DispatchParts
  readonly transport?: TransportParts
  readonly services?: ServiceFactories
  /** Services that only the package of the feature uses. */
  readonly keyedServices?: readonly KeyedService[]
  /** @throws {TypeError} for a definition that the feature cannot serve */
  readonly checkDefinition?: (definition: Definition) => void
  /** Computed when the app is complete. */
  readonly routes?: () => readonly Route[]
  /** Reads requests besides telemetry, and what runs in objects for them. */
  readonly reader?: RequestReader
  /** Only `objects()` brings it. */
  readonly objects?: ObjectSupport
  /** The parts of the kinds of objects that it brings. */
  readonly parts?: Readonly<Partial<Record<Kind, PartSource>>>
  /** Called for each environment, before the first request that has it. */
  readonly checkBindings?: (bindings: Readonly<Record<string, unknown>>) => void
  /** The bindings of the classes of an author's feature. */
  readonly requires?: readonly RequiredBinding[]
  readonly api?: { readonly [Name in keyof Api]?: (env: unknown) => Api[Name] }
  /** What `GET /health?deep` and the admin API ask. */
  readonly health?: HealthCheck
  readonly ownResource?: OwnResource | undefined
  /** For places that other features declare. */
  readonly extensions?: readonly Extension[]
  /** What `edgeway doctor --config` reads. */
  readonly announced?: Readonly<Record<string, unknown>>
}
