/** The project's directory, independent of the working directory. */
import { resolve } from 'node:path'

export const PROJECT_DIRECTORY = resolve(import.meta.dirname, '../..')
