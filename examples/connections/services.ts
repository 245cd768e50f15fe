/**
 * A chat and an issue tracker that are played on this computer, in the memory of the Worker: each has two accounts, a page
 * at which a person chooses one, and an API. Real services replace them by their own endpoints.
 */
import { createAccountService } from '../../packages/testing/src/index.ts'

/** Where `wrangler dev` serves the Worker. */
const ORIGIN = 'http://localhost:8787'

const ISSUES: Readonly<Record<string, readonly string[]>> = {
  ada: ['Rename the button', 'Send the invoice twice'],
  'ada-private': ['Repair the bicycle'],
}

export const tracker = createAccountService({
  url: `${ORIGIN}/tracker`,
  accounts: [
    { id: 'ada', label: 'ada@company.example' },
    { id: 'ada-private', label: 'ada@home.example' },
  ],
  api: (_, account) => Response.json({ issues: ISSUES[account.id] }),
})

/** What was posted, newest last. */
export const posts: string[] = []

export const chat = createAccountService({
  url: `${ORIGIN}/chat`,
  accounts: ['Ada at work', 'Ada at the club'],
  api: async (request, account) => {
    posts.push(`${account.label}: ${await request.text()}`)
    return Response.json({ ok: true })
  },
})
