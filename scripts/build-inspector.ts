/** `npm run build:inspector`: builds the page of the inspector. `npm ci` does so too. */
import { buildInspectorPage } from './support/inspector-page.ts'

await buildInspectorPage()
