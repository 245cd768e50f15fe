/** Writes the documents, their search index and the skills as the module that `examples/docs-server` serves. */
import { writeDocsContent } from './support/docs-content.ts'

writeDocsContent()
