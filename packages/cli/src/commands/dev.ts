/** `edgeway dev`: serves the project of the current folder during development. */
import type { Command } from 'commander'
import { serveDevelopment } from '../dev/serve-development.ts'

const HELP = `
Options are those of wrangler dev, such as --port 8788. Every server of the project has the inspector at /inspect, which
wrangler deploy does not upload. After a mistake that prevents the start, the next change of a file starts it again.

--public serves at a public address, for clients such as claude.ai: through a Cloudflare Tunnel, with a passphrase, and
without the inspector. --tunnel-name NAME keeps the address.`

export function addDevCommand(program: Command): void {
  program
    .command('dev')
    .description('serves the project of this folder on this computer, with the inspector')
    .argument('[options...]', 'options of wrangler dev')
    .allowUnknownOption()
    .addHelpText('after', HELP)
    .action(async (args: readonly string[]) => {
      process.exitCode = await serveDevelopment(args)
    })
}
