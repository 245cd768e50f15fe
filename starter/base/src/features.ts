/** The features of the server. Add one, such as `tasks()`, as a further value: `node_modules/edgeway/docs/guides/features.md`. */
import { changes } from 'edgeway/changes'
import { health } from 'edgeway/health'
import { landingPage } from 'edgeway/landing-page'
import { rateLimits } from 'edgeway/rate-limits'
import { serverCard } from 'edgeway/server-card'
import { sessions } from 'edgeway/sessions'

export const features = [
  sessions(),
  changes(),
  rateLimits(),
  landingPage(),
  health(),
  // Under this name, directories list the server: put your account, or a domain of yours in reverse, before the slash.
  serverCard({ name: 'io.github.your-account/edgeway-starter' }),
] as const
