/** Writes the content of `examples/docs-server` before its tests. */
import { ensureDocsContent } from '../../../scripts/support/docs-content.ts'

export default ensureDocsContent
