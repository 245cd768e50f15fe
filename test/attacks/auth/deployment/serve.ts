/** `serve.ts EGRESS PASSPHRASE`: serves the deployment on a free port; an empty passphrase sets none. */
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { serve } from '../../../../scripts/support/serve.ts'

const [egress, passphrase = ''] = process.argv.slice(2)
const listener = createServer().listen(0, '127.0.0.1')
await once(listener, 'listening')
const address = listener.address()
listener.close()
await once(listener, 'close')
if (address === null || typeof address === 'string') throw new TypeError('No port was given')
const issuer = `http://127.0.0.1:${address.port}`

await serve({
  configPath: join(import.meta.dirname, 'wrangler.toml'),
  port: address.port,
  stateDirectory: undefined,
  vars: { EDGEWAY_ORIGIN: issuer, EDGEWAY_PASSPHRASE: passphrase },
  egress,
  announce: { issuer },
})
