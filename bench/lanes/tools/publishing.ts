/** The tool whose call is the publication. */
export const publishing = {
  name: 'publish',
  title: 'Publish',
  description: 'Tells all listeners that the tools have changed',
  answer: 'published',
} as const
