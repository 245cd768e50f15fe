/** The error for what a server written for the SDK does and Edgeway cannot do. */
import { ConfigurationError } from '../../../src/platform/configuration-error.ts'

const GUIDE = 'node_modules/edgeway/docs/guides/migrate.md'

/** @param anchor a heading of the guide */
export function notCarried(sentence: string, anchor = 'what-does-not-carry'): ConfigurationError {
  return new ConfigurationError(`${sentence} See ${GUIDE}#${anchor}`)
}
