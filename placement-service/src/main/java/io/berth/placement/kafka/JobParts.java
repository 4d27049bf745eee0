package io.berth.placement.kafka;

/// A number for each of many jobs: a table of two arrays, of 16 bytes a place, that is kept at most
/// two thirds full. A collision goes to the next free place.
///
/// Not safe for use by several threads.
final class JobParts {

    private static final int LEAST = 16;

    /// Ids of jobs; 0 is a free place.
    private long[] jobs = new long[LEAST];

    private long[] parts = new long[LEAST];
    private int size;

    /// The job has this number from now on.
    ///
    /// @param job above 0
    /// @param part 0 is none
    /// @return the number that it had; 0 if none
    long put(long job, long part) {
        int place = place(job);
        long before = parts[place];
        if (part == 0) {
            if (jobs[place] == job) {
                free(place);
                fit();
            }
        } else {
            size += jobs[place] == job ? 0 : 1;
            jobs[place] = job;
            parts[place] = part;
            fit();
        }
        return before;
    }

    /// Where the job is, or would be.
    private int place(long job) {
        int place = home(job);
        while (jobs[place] != 0 && jobs[place] != job) {
            place = next(place);
        }
        return place;
    }

    /// Jobs that follow one another are at home in places that do.
    private int home(long job) {
        return (int) job & (jobs.length - 1);
    }

    private int next(int place) {
        return (place + 1) & (jobs.length - 1);
    }

    /// Frees a place, and moves those after it up that would not be found behind a free one.
    private void free(int place) {
        size--;
        int free = place;
        for (int it = next(place); jobs[it] != 0; it = next(it)) {
            int way = (it - home(jobs[it])) & (jobs.length - 1);
            if (way >= ((it - free) & (jobs.length - 1))) {
                jobs[free] = jobs[it];
                parts[free] = parts[it];
                free = it;
            }
        }
        jobs[free] = 0;
        parts[free] = 0;
    }

    /// Doubles the table when it is two thirds full, halves it when less than a sixth is used.
    private void fit() {
        int length = jobs.length;
        if (3L * size > 2L * length) {
            resize(2 * length);
        } else if (6L * size < length && length > LEAST) {
            resize(length / 2);
        }
    }

    private void resize(int length) {
        long[] oldJobs = jobs;
        long[] oldParts = parts;
        jobs = new long[length];
        parts = new long[length];
        for (int i = 0; i < oldJobs.length; i++) {
            if (oldJobs[i] != 0) {
                int place = place(oldJobs[i]);
                jobs[place] = oldJobs[i];
                parts[place] = oldParts[i];
            }
        }
    }
}
