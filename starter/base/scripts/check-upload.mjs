/** Fails when the upload that `npm run check` has written to `dist` contains the page of the inspector. */
import { readFileSync } from 'node:fs'

const upload = readFileSync(new URL('../dist/worker.js', import.meta.url), 'utf8')
if (upload.includes('<title>Inspector</title>')) {
  process.stderr.write(
    'The upload contains the inspector. Pass `DEVELOPMENT && inspector()` in src/worker.ts, and set DEVELOPMENT to false in wrangler.jsonc.\n',
  )
  process.exitCode = 1
}
