// SPDX-License-Identifier: Apache-2.0
//
// More functions that functions.cpp would forward: those that the static CUDA runtime and the collector call,
// and the injected library does not.
#include "collector/old_glibc/forward.h"

ROOFLINECTL_FORWARD(dlinfo, "GLIBC_2.3.3");
ROOFLINECTL_FORWARD(dlmopen, "GLIBC_2.3.4");
ROOFLINECTL_FORWARD(dlvsym, "GLIBC_2.2.5");
ROOFLINECTL_FORWARD(exp, "GLIBC_2.2.5");
ROOFLINECTL_FORWARD(exp2, "GLIBC_2.2.5");
ROOFLINECTL_FORWARD(hypot, "GLIBC_2.2.5");
ROOFLINECTL_FORWARD(log, "GLIBC_2.2.5");
ROOFLINECTL_FORWARD(log2, "GLIBC_2.2.5");
ROOFLINECTL_FORWARD(pow, "GLIBC_2.2.5");
ROOFLINECTL_FORWARD(pthread_condattr_setpshared, "GLIBC_2.2.5");
ROOFLINECTL_FORWARD(pthread_kill, "GLIBC_2.2.5");
ROOFLINECTL_FORWARD(pthread_mutexattr_destroy, "GLIBC_2.2.5");
ROOFLINECTL_FORWARD(pthread_mutexattr_init, "GLIBC_2.2.5");
ROOFLINECTL_FORWARD(pthread_mutexattr_setpshared, "GLIBC_2.2.5");
ROOFLINECTL_FORWARD(pthread_mutexattr_settype, "GLIBC_2.2.5");
ROOFLINECTL_FORWARD(pthread_rwlock_destroy, "GLIBC_2.2.5");
ROOFLINECTL_FORWARD(pthread_rwlock_init, "GLIBC_2.2.5");
ROOFLINECTL_FORWARD(pthread_rwlock_rdlock, "GLIBC_2.2.5");
ROOFLINECTL_FORWARD(pthread_rwlock_timedrdlock, "GLIBC_2.2.5");
ROOFLINECTL_FORWARD(pthread_rwlock_timedwrlock, "GLIBC_2.2.5");
ROOFLINECTL_FORWARD(pthread_rwlock_tryrdlock, "GLIBC_2.2.5");
ROOFLINECTL_FORWARD(pthread_rwlock_trywrlock, "GLIBC_2.2.5");
ROOFLINECTL_FORWARD(pthread_rwlock_unlock, "GLIBC_2.2.5");
ROOFLINECTL_FORWARD(pthread_rwlock_wrlock, "GLIBC_2.2.5");
ROOFLINECTL_FORWARD(pthread_rwlockattr_destroy, "GLIBC_2.2.5");
ROOFLINECTL_FORWARD(pthread_rwlockattr_init, "GLIBC_2.2.5");
ROOFLINECTL_FORWARD(pthread_rwlockattr_setpshared, "GLIBC_2.2.5");
ROOFLINECTL_FORWARD(pthread_spin_destroy, "GLIBC_2.2.5");
ROOFLINECTL_FORWARD(pthread_spin_init, "GLIBC_2.2.5");
ROOFLINECTL_FORWARD(pthread_spin_lock, "GLIBC_2.2.5");
ROOFLINECTL_FORWARD(pthread_spin_trylock, "GLIBC_2.2.5");
ROOFLINECTL_FORWARD(pthread_spin_unlock, "GLIBC_2.2.5");
ROOFLINECTL_FORWARD(sem_destroy, "GLIBC_2.2.5");
ROOFLINECTL_FORWARD(sem_init, "GLIBC_2.2.5");
ROOFLINECTL_FORWARD(sem_post, "GLIBC_2.2.5");
ROOFLINECTL_FORWARD(sem_timedwait, "GLIBC_2.2.5");
ROOFLINECTL_FORWARD(sem_trywait, "GLIBC_2.2.5");
ROOFLINECTL_FORWARD(sem_wait, "GLIBC_2.2.5");
ROOFLINECTL_FORWARD(shm_open, "GLIBC_2.2.5");
ROOFLINECTL_FORWARD(shm_unlink, "GLIBC_2.2.5");
