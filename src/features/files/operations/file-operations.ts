/** The operations on files that the option `files` brings. */
import type { Call } from '../../../dispatch/call.ts'
import { createFile } from './create-file.ts'
import type { FileOperations } from './file-port.ts'
import { pageText } from './page.ts'
import { readFile } from './read-file.ts'
import { askForFile } from './upload.ts'

export const FILE_OPERATIONS: FileOperations<Call> = { createFile, pageText, askForFile, readFile }
