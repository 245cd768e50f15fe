/** Creates what finds definitions, for a server and for a factory. */
import type { TelemetrySink } from '../ports/telemetry.ts'
import type { Implementation } from '../protocol/content.ts'
import type { Definition } from '../server/definition.ts'
import type { ServerFactory } from '../server/factory.ts'
import { checkInfo, type McpServer, sealDefinition } from '../server/mcp-server.ts'
import { type CodecOf, createCodecs } from './codecs.ts'
import {
  type Definitions,
  type ErasedFactory,
  FactoryDefinitions,
  type FactoryLimits,
  sharedDefinition,
} from './definitions.ts'
import { Dispatcher } from './dispatcher.ts'

export interface CreatedDefinitions {
  readonly info: Implementation
  readonly codecOf: CodecOf
  readonly definitionsIn: (env: unknown) => Definitions
  /** The definition of all callers; undefined for a factory. */
  readonly dispatcher: Dispatcher | undefined
}

export interface DefinitionOptions {
  readonly limits: FactoryLimits
  readonly report: TelemetrySink
  /** @throws {TypeError} for a tool that the options of the server do not allow */
  readonly checkTools: (tools: Definition['tools']) => void
}

/**
 * @param info of a factory
 * @throws {TypeError} for a source that is neither, and for a factory without `info`
 */
export function createDefinitions<Env, Props>(
  source: McpServer<Env, Props> | ServerFactory<Env, Props>,
  info: Implementation | undefined,
  { limits, report, checkTools }: DefinitionOptions,
): CreatedDefinitions {
  if (typeof source === 'function') {
    checkInfo('createEdgeway with a factory: options.info', info)
    const codecOf = createCodecs(info)
    const settings = { factory: source as ErasedFactory, info, codecOf, limits, report, checkTools }
    const definitionsIn = (env: unknown) => new FactoryDefinitions(settings, env)
    return { info, codecOf, definitionsIn, dispatcher: undefined }
  }
  const definition = sealDefinition(source)
  checkTools(definition.tools)
  for (const warning of definition.warnings) report({ type: 'definition-warning', ...warning })
  const codecOf = createCodecs(definition.info)
  const dispatcher = new Dispatcher(definition, codecOf, report)
  const definitions = sharedDefinition(dispatcher)
  return { info: definition.info, codecOf, definitionsIn: () => definitions, dispatcher }
}
