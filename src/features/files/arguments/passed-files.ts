/** The files of a call as its client passes them, before anything is fetched or stored. */
import type { Call } from '../../../dispatch/call.ts'
import { readArguments } from '../../../dispatch/methods/tools-call.ts'
import type { FileArguments } from '../../../server/file.ts'
import { fileBounds } from '../operations/create-file.ts'
import { type NamedArgument, type PassedFile, readArgument } from './read-argument.ts'

export interface PassedArgument {
  readonly argument: NamedArgument
  readonly value: PassedFile
}

/** @throws {ToolError} `not-accepted`, `too-large` */
export function readFiles({ request }: Call, files: FileArguments): readonly PassedArgument[] {
  const args = readArguments(request.params)
  return Object.entries(files).map(([name, file]) => {
    const argument = { name, file }
    const value = Object.hasOwn(args, name) ? args[name] : undefined
    return { argument, value: readArgument(argument, value) }
  })
}

/** Whether the person can be asked to open the page of an upload. */
export function canAskForUrl(call: Call): boolean {
  return call.deployment.extensions.rounds?.canAsk(call, 'elicit-url') === true
}

export function boundsOf(call: Call, { file }: NamedArgument) {
  const bounds = fileBounds(call, file.ttlMs)
  return { ...bounds, maxBytes: Math.min(bounds.maxBytes, file.maxBytes ?? bounds.maxBytes) }
}
