/** Creates what finds definitions, for a server and for a factory. */
import type { Implementation } from '../protocol/content.ts'
import type { Definition } from '../server/definition.ts'
import type { ServerFactory } from '../server/factory.ts'
import { type AnyServer, checkInfo, sealDefinition } from '../server/mcp-server.ts'
import { type CodecOf, createCodecs } from './codecs.ts'
import {
  type DefinitionOptions,
  type Definitions,
  type ErasedFactory,
  FactoryDefinitions,
  sharedDefinition,
} from './definitions.ts'
import { Dispatchers } from './dispatcher.ts'
import { withFeatureTools } from './feature-tools.ts'

export interface CreatedDefinitions {
  readonly info: Implementation
  readonly codecOf: CodecOf
  readonly definitionsIn: (env: unknown) => Definitions
  /** The definition of all callers; undefined for a factory. */
  readonly definition: Definition | undefined
  /** The dispatchers of that definition. */
  readonly dispatchers: Dispatchers | undefined
}

/** @throws {TypeError} for a source that is neither, and for a factory without `info` and `audience` */
export function createDefinitions(
  // biome-ignore lint/suspicious/noExplicitAny: the environment and the props are passed as they are
  source: AnyServer | ServerFactory<any, any>,
  options: DefinitionOptions,
): CreatedDefinitions {
  const { info, audience, report, extensions, check } = options
  if (typeof source === 'function') {
    const named =
      info === undefined && audience !== undefined ? { name: audience, version: '' } : info
    checkInfo('createEdgeway with a factory: options.info', named)
    const codecOf = createCodecs(named)
    const factory = source as ErasedFactory
    const settings = { ...options, factory, codecOf }
    const definitionsIn = (env: unknown) => new FactoryDefinitions(settings, env)
    return { info: named, codecOf, definitionsIn, definition: undefined, dispatchers: undefined }
  }
  const definition = withFeatureTools(sealDefinition(source), extensions.tools)
  check(definition)
  for (const warning of definition.warnings) report({ type: 'definition-warning', ...warning })
  const codecOf = createCodecs(definition.info)
  const dispatchers = new Dispatchers(definition, codecOf, report, extensions)
  const definitions = sharedDefinition(dispatchers)
  return {
    info: definition.info,
    codecOf,
    definitionsIn: () => definitions,
    definition,
    dispatchers,
  }
}
