/** The tool whose call publishes a change. */
export const publishing = {
  name: 'publish',
  title: 'Publish',
  description: 'Notifies all listeners that the tools have changed',
  answer: 'published',
} as const
