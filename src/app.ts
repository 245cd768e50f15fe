/** Builds the app of a definition: the core, and what the features of its options bring. */

import { createClassOf } from '../durable-objects/objects-of.ts'
import { createAppContext } from './app/app-context.ts'
import { type BuiltApp, buildApp } from './app/build-app.ts'
import { checkNames, checkOptions } from './app/check-options.ts'
import { collectApp } from './app/collect-app.ts'
import { connectApp } from './app/connect-app.ts'
import type { Edgeway, FactoryEdgeway, KnownFeatures } from './app/edgeway.ts'
import { type InstalledParts, installParts } from './app/install-parts.ts'
import { Late } from './app/late.ts'
import type { AppNaming, ServedSource } from './app/naming.ts'
import type { EdgewayOptions, FactoryOptions } from './app/options.ts'
import type { FeatureOption } from './feature/feature.ts'
import type { EdgewayObjectClass } from './ports/object-class.ts'
import type { GrantProps } from './protocol/auth-info.ts'
import type { NoMembers } from './server/context.ts'
import type { DefaultEnv } from './server/default-env.ts'
import type { ServerFactory } from './server/factory.ts'
import type { McpServer, ServerSource } from './server/mcp-server.ts'

export type { Edgeway } from './app/edgeway.ts'
export type { AppNaming, ServedSource } from './app/naming.ts'
export type { EdgewayOptions, FactoryOptions } from './app/options.ts'
export type { EdgewayObjectClass } from './ports/object-class.ts'

/**
 * Serves to each caller the definition that the factory builds for it. A segment of a path may be a
 * param: `/mcp/{org}`.
 *
 * @throws {TypeError} for invalid options
 */
export function createEdgeway<
  Env = DefaultEnv,
  Props = GrantProps,
  const Features extends readonly FeatureOption[] = readonly [],
  Members = NoMembers,
>(
  factory: ServerFactory<Env, Props, Members>,
  options: FactoryOptions<Features> & KnownFeatures<Features>,
): FactoryEdgeway<Env, Members, Features>
/**
 * Serves a definition from one endpoint to every client.
 *
 * @throws {TypeError} for invalid options, and for an invalid definition
 */
export function createEdgeway<
  Env = DefaultEnv,
  Props = GrantProps,
  const Features extends readonly FeatureOption[] = readonly [],
  Members = NoMembers,
  Api = object,
>(
  server: McpServer<Env, Props, Members, Api> | ServerSource,
  options?: EdgewayOptions<Features> & KnownFeatures<Features>,
): Edgeway<Env, Features, Api>
export function createEdgeway(
  source: ServedSource,
  options: EdgewayOptions | FactoryOptions = {},
): object {
  checkNames(options)
  return createNamedEdgeway(source, options)
}

/**
 * The Durable Object class of several servers of one Worker: `export class McpObjects extends objectsOf(edgeway, docs) {}`.
 *
 * @throws {TypeError} for two servers with one audience, or with different options for objects that they share
 */
export function objectsOf(...servers: readonly Pick<Edgeway, 'Objects'>[]): EdgewayObjectClass {
  return createClassOf(servers.map(({ Objects }) => Objects))
}

/**
 * The same for another entry of this package: the options are collected and checked, the app is built of the core and the
 * parts of its features, and its parts are connected.
 *
 * @throws {TypeError} as `createEdgeway`
 */
export function createNamedEdgeway(
  source: ServedSource,
  options: EdgewayOptions | FactoryOptions,
  naming: AppNaming = {},
): Edgeway {
  checkOptions(options)
  const collected = collectApp(source, options, naming)
  const parts = new Late<InstalledParts>()
  const built = new Late<BuiltApp>()
  const app = createAppContext(collected, parts, built)
  parts.value = installParts(collected.needed, collected.passed, app)
  built.value = buildApp(collected, parts.value, app)
  return connectApp(collected, parts.value, built.value)
}
