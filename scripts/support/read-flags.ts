/** The flags of a script. */
import { type ParseArgsConfig, parseArgs } from 'node:util'

type Options = NonNullable<ParseArgsConfig['options']>

/** Reads the flags. An invalid one ends the process with code 2, the reason and the usage. */
export function readFlags<const Flags extends Options>(usage: string, options: Flags) {
  try {
    return parseArgs({ options }).values
  } catch (error) {
    return endWithUsage((error as Error).message, usage)
  }
}

export function endWithUsage(reason: string, usage: string): never {
  process.stderr.write(`${reason}\nusage: ${usage}\n`)
  process.exit(2)
}
