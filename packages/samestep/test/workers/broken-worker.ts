/** A worker's file that does not get as far as serving. */
throw new Error('broken on purpose')
