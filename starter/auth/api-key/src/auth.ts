/** Authorization: people sign in with an API key of the service behind this server. */
import { apiKey, embedded } from 'edgeway/auth'
import * as z from 'zod'

/** Replace it with a request of your service that returns the owner of a key, sent as the service expects its keys. */
const OWNER_URL = 'https://api.example.com/me'
const Owner = z.object({ id: z.string(), name: z.string() })

export const auth = embedded({
  scopes: { use: 'Use the tools of edgeway-starter' },
  login: apiKey({
    label: 'Example API key',
    verify: async (key) => {
      const response = await fetch(OWNER_URL, { headers: { authorization: `Bearer ${key}` } })
      if (response.status === 401) return undefined
      if (!response.ok) throw new Error(`The API answered ${response.status}`)
      const { id, name } = Owner.parse(await response.json())
      return { subject: `example:${id}`, name }
    },
  }),
})
