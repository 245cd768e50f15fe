/** Where the project is, whatever the working directory. */
import { resolve } from 'node:path'

export const PROJECT_DIRECTORY = resolve(import.meta.dirname, '../..')
